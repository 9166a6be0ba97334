/** The bar has the looks of the composer, whose place it takes. */
export const styles = `
.call { align-items: center; padding-inline-start: 14px }
.ring { flex: none; width: 20px; height: 20px; border: 3px solid var(--shape); border-radius: 50% }
.call [role=status] { flex: 1; margin-inline: 12px }
.call time { color: var(--quiet); font-variant-numeric: tabular-nums }
.connecting .ring, .muted .ring { border-color: var(--control) }
.thinking .ring { border-style: dashed }
.speaking .ring { background: var(--shape) }
.panel .call [aria-pressed=true] { background: var(--ink); color: var(--ground) }
.panel .call .send { border-color: transparent; background: #b3261e; color: #fff }
@media (prefers-reduced-motion: no-preference) {
  .listening .ring { animation: ring 2s infinite }
  .thinking .ring { animation: turn 2s linear infinite }
}
@keyframes ring { 50% { scale: .8 } }
@keyframes turn { to { rotate: 1turn } }
`;
