/** Of the launcher. The panel brings its own; neither is printed. In forced colors only its border is visible. */
export const styles = `
.launcher {
  all: initial;
  position: fixed;
  box-sizing: border-box;
  width: 56px;
  height: 56px;
  border: 2px solid transparent;
  border-radius: 50%;
  cursor: pointer;
  display: grid;
  place-items: center;
  box-shadow: 0 0 0 1px #fffb, 0 0 0 2px #0004, 0 4px 12px #0004;
  transition: opacity .18s;
}
.launcher:hover svg { scale: 1.1 }
.launcher:focus-visible { outline: 3px solid #fff; outline-offset: 2px; box-shadow: 0 0 0 7px #000 }
.launcher svg { width: 28px; height: 28px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.count {
  position: absolute;
  top: -6px;
  inset-inline-end: -6px;
  min-width: 10px;
  padding: 0 6px;
  border: 1px solid #fff;
  border-radius: 11px;
  background: #b91c1c;
  color: #fff;
  font: 600 13px/20px system-ui, sans-serif;
  text-align: center;
}
.count:empty { display: none }
@starting-style { .launcher { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { .launcher { transition: none } }
@media print { * { display: none !important } }
`;
