// Makes the app installable and shows a message when it is opened offline. No account data is cached.
// The server puts the constants `bank` and `offline` (a text per language) in front of this file.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  const away = () => {
    const escape = (text) => text.replace(/[&<]/g, (character) => "&#" + character.charCodeAt(0) + ";");
    const name = escape(bank);
    const text = escape(offline[self.navigator.language.split("-")[0]] ?? offline.en);
    const head = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>";
    const page = head + "<title>" + name + "</title><h1>" + name + "</h1><p>" + text + "</p><p><a href=/app>↻</a></p>";
    return new Response(page, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
  };
  event.respondWith(fetch(event.request).catch(away));
});
