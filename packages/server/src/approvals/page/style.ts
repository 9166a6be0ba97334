/** The look of the console, for a page that loads nothing: the colors are those of packages/console/src/styles.css. */
export const style = `
:root{color-scheme:light dark;font:400 16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
--canvas:light-dark(oklch(.985 .002 240),oklch(.17 .006 240));--surface:light-dark(oklch(1 0 0),oklch(.208 .007 240));
--sunken:light-dark(oklch(.965 .003 240),oklch(.14 .006 240));--hover:light-dark(oklch(.95 .005 240),oklch(.275 .009 240));
--line:light-dark(oklch(.905 .006 240),oklch(.31 .009 240));--line-strong:light-dark(oklch(.62 .015 240),oklch(.56 .012 240));
--ink:light-dark(oklch(.22 .015 240),oklch(.955 .004 240));--ink-2:light-dark(oklch(.42 .016 240),oklch(.8 .01 240));
--accent:light-dark(oklch(.5 .085 210),oklch(.755 .105 210));--on-accent:light-dark(oklch(1 0 0),oklch(.235 .036 210));
--accent-ink:light-dark(oklch(.435 .074 210),oklch(.83 .08 210));--danger:light-dark(oklch(.53 .19 25),oklch(.7 .19 25));
--danger-ink:light-dark(oklch(.47 .17 25),oklch(.8 .114 25));--danger-tint:light-dark(oklch(.965 .017 25),oklch(.27 .045 25));
--paused-ink:light-dark(oklch(.47 .098 85),oklch(.8 .112 85));--paused-tint:light-dark(oklch(.965 .025 85),oklch(.27 .045 85));
--add:light-dark(oklch(.955 .035 150),oklch(.27 .045 150));--del:light-dark(oklch(.955 .022 25),oklch(.27 .045 25));
--mono:ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,monospace}
body{margin:0;background:var(--canvas);color:var(--ink);font-variant-numeric:tabular-nums}
main{margin:0 auto;max-width:42rem;padding:1.25rem 1rem calc(2rem + env(safe-area-inset-bottom))}
h1{font-size:1.25rem;line-height:1.4;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:.8125rem;font-weight:500;color:var(--ink-2);margin:1.25rem 0 .25rem;overflow-wrap:anywhere}
code{font-family:var(--mono)}
a{color:var(--accent-ink)}p{margin:.5rem 0}p.note{color:var(--ink-2)}
p.wait{background:var(--paused-tint);color:var(--paused-ink);border-radius:6px;padding:.5rem .75rem}
blockquote{margin:0;padding:.125rem 0 .125rem .75rem;border-inline-start:3px solid var(--line);white-space:pre-wrap;overflow-wrap:anywhere}
:focus-visible{outline:2px solid var(--accent-ink);outline-offset:2px}
pre,textarea{box-sizing:border-box;width:100%;margin:0;padding:.625rem .75rem;border-radius:6px;font:13px/1.55 var(--mono);
white-space:pre-wrap;overflow-wrap:anywhere}
pre{background:var(--sunken)}
textarea{min-height:6rem;border:1px solid var(--line-strong);background:var(--surface);color:inherit;font-size:16px}
label{display:block;font-weight:500;font-size:.8125rem;margin:.75rem 0 .25rem}
button{display:block;width:100%;min-height:2.75rem;margin:1rem 0 .75rem;border:1px solid transparent;border-radius:6px;font:inherit;font-weight:500;
color:var(--on-accent);background:var(--accent)}
button:hover{filter:brightness(1.08)}
button.deny{background:var(--danger)}
details{margin:.5rem 0;border-block-start:1px solid var(--line)}
summary{min-height:2.75rem;display:flex;align-items:center;cursor:default;color:var(--ink-2)}
summary:hover{color:var(--ink)}
summary::before{content:"▸" / "";margin-inline-end:.5rem}details[open]>summary::before{content:"▾" / ""}
[role=alert]{border-radius:6px;padding:.5rem .75rem;background:var(--danger-tint);color:var(--danger-ink)}
.add,.del{-webkit-box-decoration-break:clone;box-decoration-break:clone;padding-block:.1em}
.add{background:var(--add)}.del{background:var(--del)}
@supports not (color:light-dark(red,red)){button,pre,textarea{border:1px solid}}
@media (prefers-contrast:more){:root{--line:var(--line-strong)}}
@media (forced-colors:active){:focus-visible{outline-color:Highlight}}`;
