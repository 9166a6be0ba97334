/** Of the panel. The loader's launcher has its own. Grounds and inks are those that color.ts counts on. */
export const styles = `
.panel {
  position: fixed;
  display: flex;
  flex-direction: column;
  width: 400px;
  max-width: calc(100vw - 40px);
  height: min(640px, 100dvh - 104px);
  overflow: hidden;
  border: 1px solid var(--line);
  border-radius: 16px;
  background: var(--ground);
  color: var(--ink);
  font: 15px/22px system-ui, sans-serif;
  text-align: start;
  overflow-wrap: anywhere;
  box-shadow: 0 12px 40px #0000002e;
  transition: opacity .18s, translate .18s, display .18s allow-discrete;
}
.light {
  color-scheme: light;
  --ground: #ffffff; --raised: #f1f3f5; --line: #e1e4e8; --control: #868e97;
  --ink: #16191d; --quiet: #5d646d; --bad: #b3261e;
}
.dark {
  color-scheme: dark;
  --ground: #17191c; --raised: #26292e; --line: #363a41; --control: #7b838d;
  --ink: #eceef0; --quiet: #a5acb5; --bad: #ffa198;
}
.panel[hidden] { display: none; opacity: 0; translate: 0 8px; transition-duration: .12s }
@starting-style { .panel:not([hidden]) { opacity: 0; translate: 0 8px } }
.panel.bottom { bottom: calc(88px + env(safe-area-inset-bottom)) }
.panel.top { top: calc(88px + env(safe-area-inset-top)) }
.panel.left { left: calc(20px + env(safe-area-inset-left)) }
.panel.right { right: calc(20px + env(safe-area-inset-right)) }
.full {
  top: var(--top, 0);
  left: 0;
  width: 100vw;
  max-width: none;
  height: var(--height, 100dvh);
  padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
  border: 0;
  border-radius: 0;
  font-size: 16px;
  line-height: 24px;
}
.panel * { box-sizing: border-box; margin: 0 }
.panel:focus, .panel textarea:focus { outline: none }
.panel :focus-visible { outline: 2px solid var(--shape); outline-offset: 2px }
.panel button { padding: 0; border: 1px solid transparent; background: none; color: inherit; font: inherit; cursor: pointer }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.icon { flex: none; width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round }
.icon-more { stroke-width: 2.5 }
.icon-stop { fill: currentColor }

header { display: flex; align-items: center; flex: none; min-height: 56px; padding-inline: 16px 6px; border-bottom: 1px solid var(--line) }
.avatar {
  display: grid;
  place-items: center;
  flex: none;
  width: 32px;
  height: 32px;
  margin-inline-end: 10px;
  overflow: hidden;
  border: 1px solid var(--edge);
  border-radius: 50%;
  background: var(--fill);
  color: var(--onFill);
  font-weight: 600;
}
.avatar img { width: 100%; height: 100%; object-fit: cover; background: var(--ground) }
.heading { flex: 1; min-width: 0 }
.heading > * { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.heading h2 { font-size: 15px; line-height: 20px; font-weight: 600 }
.panel .tool { display: grid; place-items: center; flex: none; width: 44px; height: 44px; border-radius: 50%; color: var(--quiet) }
.panel:not(.full) .close { display: none }
.panel .tool:hover { background: var(--raised); color: var(--ink) }
.menu { position: relative }
.items {
  position: absolute;
  z-index: 2;
  inset-inline-end: 0;
  top: 100%;
  padding: 4px;
  border: 1px solid var(--line);
  border-radius: 12px;
  background: var(--ground);
  box-shadow: 0 4px 16px #00000024;
}
.items button { display: block; width: 100%; height: 44px; padding: 0 14px; border-radius: 8px; text-align: start; white-space: nowrap }
.items button:hover { background: var(--raised) }

.body { position: relative; display: flex; flex: 1; min-height: 0 }
.log { position: relative; flex: 1; min-width: 0; padding: 16px; overflow-y: auto; overscroll-behavior: contain }
.panel .log:focus-visible { outline-offset: -2px }
.message { display: flex; flex-direction: column; align-items: flex-start; margin-top: 4px }
/* Those at the end are always measured, so that it stays where it is. */
.message:nth-last-child(n+20) { content-visibility: auto; contain-intrinsic-height: auto 90px }
.message.first { margin-top: 16px }
.log > :first-child { margin-top: 0 }
.bubble { max-width: 92%; padding: 8px 13px; border: 1px solid transparent; border-radius: 18px; border-end-start-radius: 6px; background: var(--raised) }
.visitor { align-items: flex-end }
.visitor .bubble { max-width: 85%; border-color: var(--edge); border-end-start-radius: 18px; border-end-end-radius: 6px; background: var(--fill); color: var(--onFill); white-space: pre-wrap }
.person .bubble { border-color: var(--line); background: none }
.heading p, .author, .note, .divider, .offline { color: var(--quiet); font-size: 13px; line-height: 18px }
.author { margin-bottom: 4px; font-weight: 600 }
.note { margin-top: 4px }
.activity { display: flex; gap: 10px; text-wrap: pretty }
.activity .icon { width: 28px; height: 22px; margin: 0 -2px; color: var(--quiet); stroke-width: 4.5 }
.divider { display: flex; align-items: center; gap: 12px; margin: 20px 0; text-align: center }
.divider::before, .divider::after { content: ''; flex: 1; border-top: 1px solid var(--line) }
.notice { display: flex; flex-wrap: wrap; align-items: center; column-gap: 12px; font-size: 14px; line-height: 20px }
.notice.visitor { justify-content: flex-end; text-align: end }
.notice.alone { justify-content: center; height: 100%; color: var(--quiet); font-size: inherit; text-align: center }
.limit { padding: 8px 16px 0; color: var(--bad); font-size: 14px; line-height: 20px }
.notice p { padding: 8px 0 4px; text-wrap: balance }
.icon-warning { margin-inline-end: 6px; color: var(--bad); vertical-align: -5px }
.panel .link { position: relative; padding: 8px 0 4px; color: var(--text); font-weight: 600; text-decoration: underline; text-underline-offset: 2px }
.skeleton::before, .skeleton::after { content: ''; display: block; width: 64%; height: 40px; margin-bottom: 16px; border-radius: 18px; background: var(--raised) }
.skeleton::before { width: 40%; margin-inline-start: auto }
.closed { flex: none; padding: 8px 16px; background: var(--raised); font-size: 14px; line-height: 20px; white-space: pre-line; text-wrap: pretty }
.offline { position: absolute; inset: 0 0 auto; padding: 6px 16px; background: var(--line); color: var(--ink); text-align: center }
.panel .latest {
  position: absolute;
  bottom: 8px;
  left: 50%;
  translate: -50%;
  display: flex;
  align-items: center;
  gap: 6px;
  min-width: 44px;
  height: 44px;
  padding: 0 11px;
  border: 1px solid var(--line);
  border-radius: 22px;
  background: var(--ground);
  box-shadow: 0 2px 8px #00000024;
  font-size: 14px;
  white-space: nowrap;
}

.text > * + * { margin-top: 8px }
.text :is(h3, th) { font-size: inherit; font-weight: 600 }
.text :is(ul, ol) { padding-inline-start: 22px }
.text li + li { margin-top: 4px }
.text a, .quote a { color: var(--text); text-underline-offset: 2px }
.away::after { content: '\\2197' / ''; margin-inline-start: 2px; font-size: 12px }
.text :is(code, pre) { font: 13px/20px ui-monospace, monospace }
.text code { padding: 1px 4px; border-radius: 4px; background: var(--line) }
.text pre { padding: 8px 10px; border: 1px solid var(--line); border-radius: 8px; background: var(--ground); overflow-x: auto; overflow-wrap: normal; text-align: left; direction: ltr }
.text pre code { padding: 0; background: none }
.text .table { overflow-x: auto }
.text table { border-collapse: collapse; font-size: 14px; line-height: 20px; overflow-wrap: normal }
.text :is(td, th) { padding: 4px 10px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top }
.text th:not([align]) { text-align: start }
.text blockquote, .quote { padding-inline-start: 12px; border-inline-start: 3px solid var(--line) }
.text hr { border: 0; border-top: 1px solid var(--line) }
.panel .citation {
  position: relative;
  min-width: 20px;
  height: 20px;
  margin-inline: 0 1px;
  padding: 0 5px;
  border-color: var(--line);
  border-radius: 6px;
  background: var(--ground);
  color: var(--text);
  font-size: 12px;
  line-height: 18px;
  font-weight: 600;
  vertical-align: 1px;
}
.citation::after, .link::after { content: ''; position: absolute; inset: -12px }
.panel .citation[aria-expanded=true] { background: var(--fill); border-color: var(--edge); color: var(--onFill) }
.quote { max-width: 92%; scroll-margin: 16px; margin-top: 8px; border-color: var(--shape); font-size: 14px; line-height: 20px }
.quote cite { font: inherit; font-weight: 600 }
.quote p { color: var(--quiet); white-space: pre-line }

.composer { position: relative; display: flex; align-items: flex-end; flex: none; margin: 8px 12px 12px; border: 1px solid var(--control); border-radius: 24px }
.composer:has(textarea:focus) { outline: 2px solid var(--shape); outline-offset: -1px }
.panel textarea {
  flex: 1;
  min-width: 0;
  max-height: 132px;
  padding: 11px 14px;
  border: 0;
  background: none;
  color: inherit;
  font: inherit;
  font-size: 16px;
  line-height: 22px;
  resize: none;
}
textarea::placeholder { overflow: hidden; color: var(--quiet); opacity: 1; text-overflow: ellipsis; white-space: nowrap }
.panel .send { display: grid; place-items: center; flex: none; width: 36px; height: 36px; margin: 4px; border-color: var(--edge); border-radius: 50%; background: var(--fill); color: var(--onFill) }
.send::after { content: ''; position: absolute; inset-block: 0; inset-inline-end: 0; width: 44px }
.panel .send[aria-disabled=true] { border-color: transparent; background: var(--raised); color: GrayText; cursor: default }
.branding { flex: none; margin-top: -4px; padding-bottom: 8px; color: var(--quiet); font-size: 12px; line-height: 16px; text-align: center }
@media (prefers-reduced-motion: reduce) { .panel { transition: none } }
@media (prefers-contrast: more) {
  .panel { --quiet: var(--ink); --line: var(--control) }
  .bubble { border-color: var(--line) }
  .offline, .text code { background: var(--raised) }
}
@media (forced-colors: active) { .panel .send, .panel .latest { border-color: currentColor } }
`;
