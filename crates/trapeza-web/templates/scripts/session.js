// Announces that the session of the app is about to end, extends it without leaving the page, and shows the locked app at its end.
(() => {
  const notice = document.getElementById("session-ends");
  const form = document.getElementById("stay");
  if (!notice || !form) return;
  const total = Number(form.dataset.seconds), warning = Number(form.dataset.warning);
  let timers = [];
  const start = (seconds) => {
    timers.forEach(clearTimeout);
    notice.hidden = true;
    timers = [
      setTimeout(() => (notice.hidden = false), Math.max(0, seconds - warning) * 1000),
      setTimeout(() => location.assign("/app"), (seconds + 1) * 1000),
    ];
  };
  const stay = async (event) => {
    event.preventDefault();
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (answer.ok) start(Number(form.dataset.full));
    else location.assign("/app");
  };
  form.addEventListener("submit", stay);
  notice.querySelector("button").addEventListener("click", stay);
  start(total);
})();
