export const styles = `
.call { display: flex; align-items: center; gap: 12px; flex: none; margin: 8px 12px 12px; padding: 8px 4px 8px 12px; border: 1px solid var(--control); border-radius: 24px }
.ring { flex: none; width: 20px; height: 20px; border: 3px solid var(--shape); border-radius: 50% }
.call[data-state=connecting] .ring, .call[data-state=muted] .ring { border-color: var(--control) }
.call[data-state=thinking] .ring { border-style: dashed }
.call[data-state=speaking] .ring { background: var(--shape) }
.call .state { flex: 1; min-width: 0 }
.call time { color: var(--quiet); font-size: 13px; font-variant-numeric: tabular-nums }
.panel .call button { display: grid; place-items: center; flex: none; width: 44px; height: 44px; border-color: var(--control); border-radius: 50% }
.panel .call [aria-pressed=true] { background: var(--ink); color: var(--ground) }
.panel .call .end { border-color: transparent; background: #b3261e; color: #fff }
@media (prefers-reduced-motion: no-preference) {
  .call[data-state=listening] .ring { animation: ring 2s infinite }
  .call[data-state=thinking] .ring { animation: turn 2s linear infinite }
}
@keyframes ring { 50% { scale: .8 } }
@keyframes turn { to { rotate: 1turn } }
@media (forced-colors: active) { .panel .call button { border-color: currentColor } }
`;
