// Polls for the approval in the app and shows the result. Without this script the link does.
(() => {
  document.getElementById("waiting").hidden = false;
  const poll = async () => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.title !== document.title) return location.reload();
    } catch {
      // Mobile networks are unreliable: keep polling.
    }
    setTimeout(poll, 2000);
  };
  setTimeout(poll, 2000);
})();
