/** Above the launcher, where the panel opens, or below it. The grounds and inks are those of the panel. */
export const styles = `
.teaser {
  position: fixed;
  display: flex;
  align-items: flex-start;
  width: max-content;
  max-width: min(320px, calc(100vw - 40px));
  border: 1px solid var(--line);
  border-radius: 16px;
  background: var(--ground);
  color: var(--ink);
  font: 15px/22px system-ui, sans-serif;
  text-align: start;
  overflow-wrap: anywhere;
  box-shadow: 0 8px 24px #00000038;
  transition: opacity .18s, translate .18s;
}
.teaser, .teaser * { box-sizing: border-box }
@starting-style { .teaser { opacity: 0; translate: 0 8px } }
.teaser.bottom { bottom: calc(88px + env(safe-area-inset-bottom)) }
.teaser.top { top: calc(88px + env(safe-area-inset-top)) }
.teaser.left { left: calc(20px + env(safe-area-inset-left)) }
.teaser.right { right: calc(20px + env(safe-area-inset-right)) }
.teaser button { border: 0; border-radius: 15px; background: none; color: inherit; font: inherit; text-align: start; cursor: pointer }
.teaser :focus-visible { outline: 2px solid var(--shape); outline-offset: -2px }
.teaser .text { flex: 1; min-width: 0; padding-block: 12px; padding-inline: 16px 0 }
.teaser .author { display: block; margin-bottom: 2px; color: var(--quiet); font-size: 13px; line-height: 18px; font-weight: 600 }
.teaser .line { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 3 }
.teaser .dismiss { display: grid; place-items: center; flex: none; width: 44px; height: 44px; padding: 0; color: var(--quiet) }
.teaser .dismiss:hover { color: var(--ink) }
.teaser svg { width: 18px; height: 18px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round }
.spoken { position: fixed; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
@media (prefers-reduced-motion: reduce) { .teaser { transition: none } }
`;
