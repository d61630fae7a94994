// Looks whether the question was answered in the app, and shows what became of it. Without this script the link does.
(() => {
  document.getElementById("waiting").hidden = false;
  const look = async () => {
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (page.title !== document.title) return location.reload();
    } catch {
      // The network comes and goes on a telephone.
    }
    setTimeout(look, 2000);
  };
  setTimeout(look, 2000);
})();
