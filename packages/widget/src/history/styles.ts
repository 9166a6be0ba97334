/** The list has the place of the messages and the composer. The controls of a call stay. */
export const styles = `
.panel:has(> .history) > :not(header, .history, .hidden, .branding, :has(.call)) { display: none }
.history, .history section { display: flex; flex: 1; flex-direction: column; min-height: 0 }
.history .top { display: flex; align-items: center; padding: 6px 8px }
.history h3 { font-size: 15px; font-weight: 600 }
[dir=rtl] .history .top svg { scale: -1 1 }
.history .status:not(:empty) { padding: 32px 24px 8px; color: var(--quiet); text-align: center }
.history .link { align-self: center }
.history ul { padding: 0 8px 8px; overflow-y: auto; overscroll-behavior: contain; list-style: none }
.panel h3:focus-visible { outline: none }
.panel .item { width: 100%; padding: 10px 12px; border-radius: 12px; text-align: start }
.panel .item:hover, .panel .item[aria-current] { background: var(--raised) }
.panel .item[aria-current] { border-color: var(--line) }
.panel .item:focus-visible { outline-offset: -2px }
.item .name { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2 }
.item .note { display: block }
`;
