// Asks the browser for a passkey when a form with data-passkey is sent, and fills in the fields of the form.
(() => {
  const encode = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const decode = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const uuid = (text) => Uint8Array.from(text.replaceAll("-", "").match(/../g), (pair) => parseInt(pair, 16));

  const create = (data) => navigator.credentials.create({
    publicKey: {
      challenge: decode(data.challenge),
      rp: { id: data.party, name: document.title },
      user: { id: uuid(data.user), name: data.userName, displayName: data.userName },
      pubKeyCredParams: [{ type: "public-key", alg: -7 }],
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
      timeout: 120000,
    },
  });
  const get = (data) => navigator.credentials.get({
    publicKey: { challenge: decode(data.challenge), rpId: data.party, userVerification: "required", timeout: 120000 },
  });

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.addEventListener("submit", async (event) => {
      // The bank refuses an empty name: no passkey is created for it.
      if (form.elements.name?.value.trim() === "") return;
      event.preventDefault();
      const alert = form.querySelector("[data-passkey-error]");
      alert.hidden = true;
      try {
        const found = await (form.dataset.passkey === "create" ? create : get)(form.dataset);
        const answer = found.response;
        const data = answer.authenticatorData ?? answer.getAuthenticatorData();
        form.elements.credential.value = encode(found.rawId);
        form.elements.client_data.value = encode(answer.clientDataJSON);
        form.elements.authenticator_data.value = encode(data);
        form.elements.signature.value = answer.signature ? encode(answer.signature) : "";
        form.elements.user_handle.value = answer.userHandle ? encode(answer.userHandle) : "";
        form.submit();
      } catch {
        alert.hidden = false;
      }
    });
  }
})();
