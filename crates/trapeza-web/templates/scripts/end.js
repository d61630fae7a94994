// Redirects back once after a delay, unless the customer stays. Without this script the button does.
(() => {
  const back = document.getElementById("back");
  const offer = document.getElementById("offer");
  const been = "been:" + location.pathname;
  if (!back || !offer || sessionStorage.getItem(been)) return;
  offer.hidden = false;
  const leave = setTimeout(() => {
    sessionStorage.setItem(been, "1");
    location.assign(back.href);
  }, 8000);
  document.getElementById("stay").addEventListener("click", () => {
    clearTimeout(leave);
    offer.hidden = true;
    back.focus();
  });
})();
