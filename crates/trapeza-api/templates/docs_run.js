// Runs the examples of the reference against this sandbox and fills them with the developer's keys, which stay in this tab.
"use strict";
(() => {
  const STORE = "trapeza-examples";
  // The longest response that is shown.
  const SHOWN = 20000;
  const keys = document.getElementById("keys");
  if (!keys) return;
  const inputs = [...keys.querySelectorAll("input[data-variable]")];
  const state = document.getElementById("keys-state");
  const variables = stored();

  function stored() {
    try {
      return JSON.parse(sessionStorage.getItem(STORE)) || {};
    } catch {
      return {};
    }
  }

  function store() {
    try {
      sessionStorage.setItem(STORE, JSON.stringify(variables));
    } catch {
      // Without storage the values last as long as the page.
    }
  }

  // The values in the texts of the examples. Only what needs no quoting is filled in.
  const originals = new Map();
  const isPlain = value => typeof value === "string" && /^[\w.+/=:@-]+$/.test(value);
  const members = {
    CLIENT_ID: "client_id", SUBSCRIPTION_KEY: "subscription_key", CERTIFICATE: "certificate",
    APPLICATION_ID: "application_id", MERCHANT_KEY: "subscription_key", PSU_ID: "psu_id",
  };
  const owners = { APPLICATION_ID: "shop", MERCHANT_KEY: "shop", PSU_ID: "customer" };

  function fill() {
    for (const code of document.querySelectorAll(".panel pre code")) {
      if (!originals.has(code)) originals.set(code, code.textContent);
      let text = originals.get(code);
      for (const [name, member] of Object.entries(members)) {
        const value = variables[name];
        if (!isPlain(value)) continue;
        const owner = owners[name] || "third";
        text = text.replace(new RegExp(`^${name}=.*$`, "m"), `${name}=${value}`)
          .replaceAll(`${owner}["${member}"]`, JSON.stringify(value))
          .replaceAll(`${owner}.${member}`, JSON.stringify(value));
        if (name !== "CERTIFICATE") text = text.replaceAll(new RegExp(`\\$${name}\\b`, "g"), value);
      }
      code.textContent = text;
    }
    for (const input of inputs) input.value = variables[input.dataset.variable] || "";
  }

  function use(values, text) {
    for (const [name, value] of Object.entries(values)) {
      if (value) variables[name] = String(value).trim();
    }
    store();
    fill();
    state.textContent = text;
  }

  keys.querySelector("form").addEventListener("submit", event => {
    event.preventDefault();
    use(Object.fromEntries(inputs.map(input => [input.dataset.variable, input.value])), "The examples use your values.");
  });
  document.getElementById("keys-clear").addEventListener("click", () => {
    for (const name of Object.keys(variables)) delete variables[name];
    store();
    fill();
    state.textContent = "All values are cleared.";
  });
  document.getElementById("keys-file").addEventListener("change", async event => {
    try {
      const sheet = JSON.parse(await event.target.files[0].text());
      const [third, shop, customer] = [sheet.tpps[0], sheet.merchants[0], sheet.psus[0]];
      use({
        CLIENT_ID: third.client_id, SUBSCRIPTION_KEY: third.subscription_key, CERTIFICATE: third.certificate,
        APPLICATION_ID: shop.application_id, MERCHANT_KEY: shop.subscription_key,
        PSU_ID: customer.psu_id, METHOD_ID: customer.methods[0].id,
      }, "The examples use the values of the file.");
    } catch {
      state.textContent = "The file is not a sandbox.json.";
    }
  });

  // The applications of the organisation, for a member who is signed in to the portal.
  async function portal() {
    const response = await fetch("/portal/examples", { redirect: "manual", headers: { accept: "application/json" } });
    if (!response.ok) return;
    const { applications } = await response.json();
    if (!applications.length) return;
    const select = document.getElementById("keys-application");
    for (const application of applications) {
      const option = document.createElement("option");
      option.value = application.id;
      option.dataset.kind = application.kind;
      option.textContent = application.name;
      select.append(option);
    }
    const choose = () => {
      const { value, dataset } = select.selectedOptions[0];
      const [id, key] = dataset.kind === "merchant" ? ["APPLICATION_ID", "MERCHANT_KEY"] : ["CLIENT_ID", "SUBSCRIPTION_KEY"];
      if (variables[id] !== value) delete variables[key];
      use({ [id]: value }, variables[key] ? "The examples use this application." :
        "The examples use this application. Its key was shown once, when it was created: paste it below.");
    };
    select.addEventListener("change", choose);
    const known = applications.find(one => [variables.CLIENT_ID, variables.APPLICATION_ID].includes(one.id));
    if (known) select.value = known.id;
    for (const kind of ["third-party", "merchant"]) {
      const first = applications.find(one => one.kind === kind);
      const name = kind === "merchant" ? "APPLICATION_ID" : "CLIENT_ID";
      if (first && !variables[name]) {
        variables[name] = first.id;
      }
    }
    store();
    fill();
    document.getElementById("keys-portal").hidden = false;
  }

  function uuid() {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const text = [...bytes].map(byte => byte.toString(16).padStart(2, "0")).join("");
    return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  }

  // Replaces the variables of a text; `missing` collects those without a value.
  function expand(text, missing) {
    return text
      .replaceAll("$(uuidgen)", uuid)
      .replaceAll(/\$\(date -d '(\d+) days ago' \+%F\)/g, (_, days) =>
        new Date(Date.now() - days * 86400000).toISOString().slice(0, 10))
      .replaceAll(/\$([A-Z][A-Z_]+)/g, (_, name) => {
        if (!variables[name]) missing.add(name);
        return variables[name] || "";
      });
  }

  // The value at a path such as `.accounts[0].resourceId`.
  function at(value, path) {
    return path.split(/[.[\]]+/).filter(Boolean).reduce((inner, name) => (inner === undefined || inner === null ? undefined : inner[name]), value);
  }

  async function send(request, missing) {
    const headers = Object.fromEntries(request.headers.map(([name, value]) => [name, expand(value, missing)]));
    const path = expand(request.path, missing);
    const body = request.body === null ? undefined : expand(request.body, missing);
    if (missing.size) return null;
    const began = performance.now();
    const response = await fetch(path, { method: request.method, headers, body, credentials: "omit", cache: "no-store" });
    const text = await response.text();
    return { response, text, took: Math.round(performance.now() - began) };
  }

  function element(tag, text, name) {
    const one = document.createElement(tag);
    if (text) one.textContent = text;
    if (name) one.className = name;
    return one;
  }

  function show(result, { response, text, took }) {
    const line = element("p", "", "line");
    line.append(element("b", String(response.status)), ` ${response.statusText} in ${took} ms`);
    const headers = element("details");
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
    headers.append(element("summary", "Headers"), block(lines));
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      // Not JSON: as it is.
    }
    if (shown.length > SHOWN) shown = `${shown.slice(0, SHOWN)}\n…`;
    result.append(line, headers);
    const page = redirect(text);
    if (page) result.append(page);
    if (shown) result.append(block(shown));
  }

  // The customer continues at this link; only pages of this bank are linked.
  function redirect(text) {
    const href = /"scaRedirect":\s*\{\s*"href":\s*"([^"]+)"/.exec(text)?.[1];
    if (!href || new URL(href, location.href).origin !== location.origin) return null;
    const link = element("a", "Continue as the customer");
    link.href = href;
    link.target = "_blank";
    link.rel = "noopener";
    const line = element("p");
    line.append(link);
    return line;
  }

  function block(text) {
    const pre = element("pre");
    pre.tabIndex = 0;
    pre.append(element("code", text));
    return pre;
  }

  async function run(example, result) {
    result.replaceChildren(element("h3", "Response to your request"));
    const missing = new Set();
    for (const request of example.requests) {
      let answer;
      try {
        answer = await send(request, missing);
      } catch (error) {
        result.append(element("p", `No answer: ${error.message}`));
        return;
      }
      if (!answer) {
        const names = [...missing].join(", ");
        result.append(element("p", `Without a value: ${names}. Enter keys under “Your keys”, or run first the example that creates it.`));
        keys.open = true;
        return;
      }
      show(result, answer);
      if (!answer.response.ok) return;
      for (const [name, path] of example.captures) {
        try {
          const value = at(JSON.parse(answer.text), path);
          if (value !== undefined && value !== null) variables[name] = String(value);
        } catch {
          // A response without JSON sets nothing.
        }
      }
    }
    store();
  }

  for (const tabs of document.querySelectorAll("fieldset[data-run]")) {
    const example = JSON.parse(tabs.dataset.run);
    const button = element("button", "Run", "run");
    button.type = "button";
    const heading = tabs.closest(".sides") ? tabs.closest("article").querySelector("h2") : tabs.previousElementSibling;
    const title = heading.textContent;
    button.setAttribute("aria-label", `Run: ${title}`);
    const line = element("p", "", "run-line");
    line.append(button);
    if (example.changes) line.append(" ", element("span", "Changes the sandbox."));
    tabs.after(line);
    const result = element("div", "", "result");
    result.setAttribute("role", "status");
    const sides = tabs.closest(".sides");
    if (sides) sides.lastElementChild.prepend(result);
    else line.after(result);
    button.addEventListener("click", async () => {
      button.disabled = true;
      await run(example, result);
      button.disabled = false;
      // On a narrow screen the response is below the example.
      result.scrollIntoView({ block: "nearest" });
    });
  }
  keys.hidden = false;
  fill();
  portal().catch(() => {});
})();
