// Makes the app installable and shows a message when it is opened offline. No account data is cached.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  const away = () => {
    const greek = self.navigator.language.startsWith("el");
    const text = greek
      ? "Δεν υπάρχει σύνδεση. Δοκιμάστε ξανά όταν συνδεθείτε."
      : "There is no connection. Try again when you are online.";
    const head = "<!doctype html><meta charset=utf-8><meta name=viewport content='width=device-width'>";
    const page = head + "<title>Trapeza</title><h1>Trapeza</h1><p>" + text + "</p><p><a href=/app>↻</a></p>";
    return new Response(page, { status: 503, headers: { "Content-Type": "text/html; charset=utf-8" } });
  };
  event.respondWith(fetch(event.request).catch(away));
});
