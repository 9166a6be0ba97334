/** The form has the place of the composer. */
export const styles = `
.ask { display: flex; flex: none; flex-direction: column; gap: 10px; padding: 12px 16px 14px; border-top: 1px solid var(--line) }
.ask label { display: flex; flex-direction: column; gap: 2px; font-size: 13px; line-height: 18px }
.ask input { height: 44px; padding: 0 12px; border: 1px solid var(--control); border-radius: 12px; background: none; color: inherit; font: inherit; font-size: 16px }
.ask input:focus { outline: 2px solid var(--shape); outline-offset: -1px }
.ask input[aria-invalid=true] { border-color: var(--bad) }
.ask .wrong { color: var(--bad); font-size: 13px; line-height: 18px }
.ask .wrong:empty { margin-top: -10px }
.ask .answers { display: flex; align-items: center; gap: 16px }
.panel .ask .go { min-height: 44px; padding: 0 20px; border-color: var(--edge); border-radius: 22px; background: var(--fill); color: var(--onFill); font-weight: 600 }
@media (forced-colors: active) { .panel .ask .go { border-color: currentColor } }
`;
