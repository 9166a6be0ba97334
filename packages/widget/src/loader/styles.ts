/** Of the launcher. The panel brings its own. */
export const styles = `
.launcher {
  all: initial;
  position: fixed;
  box-sizing: border-box;
  width: 56px;
  height: 56px;
  border-radius: 50%;
  background: var(--fill);
  color: var(--ink);
  cursor: pointer;
  display: grid;
  place-items: center;
  box-shadow: 0 0 0 1px rgb(255 255 255 / .7), 0 0 0 2px rgb(0 0 0 / .25), 0 4px 12px rgb(0 0 0 / .2);
  animation: svc-appear .18s;
  -webkit-tap-highlight-color: transparent;
}
.launcher[hidden] { display: none }
.launcher:hover { box-shadow: 0 0 0 1px rgb(255 255 255 / .7), 0 0 0 2px rgb(0 0 0 / .25), 0 6px 18px rgb(0 0 0 / .3) }
.launcher:focus-visible { outline: 3px solid #fff; outline-offset: 2px; box-shadow: 0 0 0 2px #000, 0 0 0 7px #000 }
.launcher svg { width: 28px; height: 28px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.bottom { bottom: calc(20px + env(safe-area-inset-bottom, 0px)) }
.top { top: calc(20px + env(safe-area-inset-top, 0px)) }
.left { left: calc(20px + env(safe-area-inset-left, 0px)) }
.right { right: calc(20px + env(safe-area-inset-right, 0px)) }
.count {
  position: absolute;
  top: -4px;
  inset-inline-end: -4px;
  box-sizing: border-box;
  min-width: 22px;
  padding: 0 6px;
  border-radius: 11px;
  border: 1px solid #fff;
  background: #b91c1c;
  color: #fff;
  font: 600 13px/20px system-ui, sans-serif;
  text-align: center;
}
.count:empty { display: none }
@keyframes svc-appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { .launcher { animation: none } }
@media (forced-colors: active) { .launcher, .count { border: 2px solid ButtonText } }
@media print { .launcher { display: none } }
`;
