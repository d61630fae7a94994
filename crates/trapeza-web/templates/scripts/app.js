// The app in the browser: creates the device key, signs approvals with it and listens for events.
(() => {
  const encoded = (bytes) =>
    btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

  // One key per browser. It is not extractable, not even by this page.
  const kept = (mode, work) =>
    new Promise((done, fail) => {
      const opened = indexedDB.open("trapeza", 1);
      opened.onupgradeneeded = () => opened.result.createObjectStore("keys");
      opened.onerror = () => fail(opened.error);
      opened.onsuccess = () => {
        const transaction = opened.result.transaction("keys", mode);
        const request = work(transaction.objectStore("keys"));
        transaction.oncomplete = () => done(request.result);
        transaction.onabort = () => fail(transaction.error);
      };
    });
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };

  const enrol = async (field) => {
    const pair = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
    await kept("readwrite", (keys) => keys.put(pair, "app"));
    field.value = encoded(await crypto.subtle.exportKey("raw", pair.publicKey));
  };

  const approve = async (form, number) => {
    const pair = await kept("readonly", (keys) => keys.get("app"));
    if (!pair) return (document.getElementById("no-key").hidden = false);
    const text = ["trapeza approval", form.dataset.question, form.dataset.link, number].join("\n");
    const hash = { name: "ECDSA", hash: "SHA-256" };
    const signature = await crypto.subtle.sign(hash, pair.privateKey, new TextEncoder().encode(text));
    form.elements.signature.value = encoded(signature);
    form.elements.chosen.value = number;
    form.submit();
  };

  const key = document.querySelector("input[name=key]");
  if (key) enrol(key).catch(() => (document.getElementById("no-key").hidden = false));

  for (const form of document.querySelectorAll("form[data-link]")) {
    let sent = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (sent) return;
      sent = true;
      approve(form, event.submitter.value);
    });
  }

  const news = document.getElementById("news");
  if (news) {
    const source = new EventSource("/app/events");
    source.addEventListener("questions", (event) => {
      if (event.data === news.dataset.seen) return;
      // The page is not reloaded while an approval is shown: moving buttons cause wrong clicks.
      if (news.dataset.seen === "") location.reload();
      else news.hidden = false;
    });
    source.addEventListener("locked", () => location.reload());
  }

  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/app/worker.js", { scope: "/app" });
})();
