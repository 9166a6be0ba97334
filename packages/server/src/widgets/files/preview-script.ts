/**
 * Runs on the preview page before the widget. The console, which shows the page in a frame, sends it a look that is not saved
 * yet, and the widget gets it as the answer to its own request. The widget requests its look again after a while by this clock, so
 * the clock is moved. Until somebody uses the widget, it does not take the focus from the console. Nothing here works on other pages: only a parent of the same origin is heard.
 */
export const previewScript = `const request = window.fetch.bind(window);
const now = performance.now.bind(performance);
let draft;
let later = 0;
performance.now = () => now() + later;
window.fetch = async (address, options) => {
  const answer = await request(address, options);
  if (!draft || !answer.ok || !String(address).includes('/api/widget/look')) return answer;
  return Response.json({ ...(await answer.json()), ...draft });
};
addEventListener('message', ({ origin, source, data }) => {
  if (origin !== location.origin || source !== parent || data?.type !== 'svc.look') return;
  draft = data.look;
  later += 60000;
  document.dispatchEvent(new Event('visibilitychange'));
});
if (parent !== window) {
  const { focus } = HTMLElement.prototype;
  let isUsed = false;
  for (const name of ['pointerdown', 'keydown']) addEventListener(name, () => { isUsed = true; }, true);
  HTMLElement.prototype.focus = function (options) {
    if (isUsed) focus.call(this, options);
  };
  parent.postMessage({ type: 'svc.preview' }, location.origin);
}
`;
