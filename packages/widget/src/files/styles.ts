/** Of files that are to be sent, and of those that were. */
export const styles = `
.files { display: flex; flex-wrap: wrap; gap: 6px; padding: 0; list-style: none }
.outgoing { flex: none; padding: 8px 16px 0 }
.outgoing:empty { display: none }
.file { display: flex; align-items: center; max-width: 100%; min-height: 32px; padding-inline: 10px 4px; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); font-size: 13px; line-height: 18px }
.file .name { min-width: 0; padding-inline-end: 6px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
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
@media (prefers-reduced-motion: no-preference) { .uploading .name { animation: files 1.2s ease-in-out infinite alternate } }
@keyframes files { to { opacity: .5 } }
`;
