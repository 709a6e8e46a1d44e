/** Has this browser cache the page and the module of the engine that it uses. */

/** The module's name: the engine's worker alone knows which one it has taken. @returns {Promise<string>} */
function taken() {
  const root = document.documentElement;
  return new Promise((resolve) => {
    const look = () => root.dataset.engine && resolve(root.dataset.engine);
    new MutationObserver(look).observe(root, { attributeFilter: ["data-engine"] });
    look();
  });
}

async function keep() {
  if (!("serviceWorker" in navigator)) return;
  await navigator.serviceWorker.register(new URL(`offline-worker.js?engine=${await taken()}`, import.meta.url));
  await navigator.serviceWorker.ready;
  document.documentElement.setAttribute("data-kept", "");
}

// Where nothing can be stored, as in a private window, the page still works.
keep().catch((error) => console.warn("petard cannot be kept for offline use:", error));
