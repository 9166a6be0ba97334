/** Rows below messages, or beside the visitor's own. Those that are not of the latest appear when somebody looks at their message. */
export const styles = `
.message, .visitor .bubble { position: relative }
.acts { display: flex; flex-wrap: wrap; align-items: center; color: var(--quiet); font-size: 13px; line-height: 18px }
.panel .acts button { display: flex; align-items: center; justify-content: center; gap: 6px; min-width: 28px; height: 28px; border-radius: 8px }
.panel .acts button:hover { background: var(--raised); color: var(--ink) }
.panel .acts [aria-disabled=true] { color: GrayText }
.panel .acts [aria-pressed=true] { color: var(--text) }
.acts .icon { width: 16px; height: 16px }
.acts [aria-pressed=true] .icon { fill: currentColor; fill-opacity: .3 }
.acts .turned .icon { rotate: 180deg }
[dir=rtl] .step .icon { scale: -1 1 }
.acts.beside, .bot .aside { position: absolute; inset-block-end: 5px }
.acts.beside { inset-inline-end: 100%; margin-inline-end: 4px }
.acts.aside { opacity: 0; pointer-events: none }
.bot .aside { inset-inline-end: 0; border-radius: 8px; background: var(--ground) }
.message:hover .acts, .acts:focus-within { opacity: 1; pointer-events: auto }
.message .composer { width: 100%; margin: 0 }
.panel .message [hidden] { display: none }
@media (pointer: coarse) {
  .panel .acts button { min-width: 44px; height: 44px }
  .acts.beside, .bot .aside { inset-block-end: -2px }
}
`;
