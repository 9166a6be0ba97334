/** Of files that are to be sent, and of those that were. */
export const styles = `
.files { display: flex; flex-wrap: wrap; gap: 6px; padding: 0; list-style: none }
.outgoing { flex: none; padding: 8px 16px 0 }
.outgoing:empty { display: none }
.file { display: flex; align-items: center; max-width: 100%; min-height: 32px; padding-inline: 10px 4px; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); font-size: 13px; line-height: 18px }
.file .name { min-width: 0; padding-inline-end: 6px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.file img { width: 36px; height: 36px; margin-block: 4px; margin-inline: -4px 8px; border-radius: 8px; object-fit: cover }
.file.uploading .name { color: var(--quiet) }
.panel .file button { display: grid; place-items: center; position: relative; flex: none; width: 24px; height: 24px; border-radius: 50%; color: var(--quiet) }
.file button::before { content: '\\d7' / '' }
.panel .file button::after { content: ''; position: absolute; inset: -8px }
.file-problem { flex: none; padding: 6px 16px 0; color: var(--bad); font-size: 13px; line-height: 18px }
.file-problem:empty { display: none }
.sent { max-width: 85%; margin-top: 4px }
.visitor .sent { justify-content: flex-end }
.panel .sent button { display: block; max-width: 100%; overflow: hidden; border-color: var(--line); border-radius: 12px; background: var(--raised); text-align: start }
.sent img { display: block; max-width: 100%; max-height: 160px }
.sent span { display: block; padding: 6px 12px; overflow: hidden; font-size: 13px; line-height: 20px; text-overflow: ellipsis; white-space: nowrap }
.large { box-sizing: border-box; width: 100vw; max-width: none; height: 100dvh; max-height: none; padding: 16px; border: 0; background: #000d; color: #fff; font: 15px/22px system-ui, sans-serif }
.large[open] { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 16px }
.large img { min-height: 0; max-width: 100%; object-fit: contain }
.large p { display: flex; flex-wrap: wrap; justify-content: center; gap: 12px; max-width: 100%; margin: 0 }
.large button { max-width: 100%; min-height: 44px; padding: 0 20px; border: 1px solid #fff9; border-radius: 22px; background: #000; color: inherit; font: inherit; cursor: pointer; overflow: hidden; text-overflow: ellipsis }
.large :focus-visible { outline: 2px solid; outline-offset: 2px }
@media (prefers-reduced-motion: no-preference) { .uploading .name { animation: files 1.2s ease-in-out infinite alternate } }
@keyframes files { to { opacity: .5 } }
`;
