import { colorVariables } from './colors.ts';

/** Colours, type, and what stands on every page. Paper is always light. */
export const baseStyles = `
:root{color-scheme:light dark;${colorVariables('light')};
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;
--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace}
@media screen and (prefers-color-scheme:dark){:root{${colorVariables('dark')}}}
*,*::before,*::after{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 var(--sans)}
.top,main,.foot{max-width:88rem;margin-inline:auto;padding-inline:clamp(1rem,3vw,2.5rem)}
h1,h2,h3,h4,p,ul,ol,dl,dd,pre,figure{margin:0;padding:0}
ul,ol{list-style:none}
h1{font-size:1rem;font-weight:600;color:var(--muted)}
h2{font-size:1.75rem;line-height:1.2;letter-spacing:-.015em;overflow-wrap:anywhere}
h3{font-size:1.2rem;line-height:1.3;margin-bottom:.75rem}
h4{font-size:1rem;line-height:1.4}
section>h4{margin:1.4rem 0 .5rem}
code,pre,.address,.place,.chip{font-family:var(--mono);font-size:.86em;unicode-bidi:isolate;overflow-wrap:anywhere}
pre{white-space:pre-wrap}
a{color:var(--link);text-underline-offset:.15em}
:focus-visible{outline:2px solid var(--focus-ring);outline-offset:2px;border-radius:3px}
main:focus{outline:none}
.sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:1rem;top:-4rem;padding:.5rem 1rem;background:var(--ground);border:1px solid var(--line);border-radius:6px;z-index:2}
.skip:focus{top:.75rem}
.top{display:flex;align-items:baseline;gap:.75rem;padding-block:1.1rem;border-bottom:1px solid var(--line);max-width:none}
.brand{font-weight:700;letter-spacing:-.01em}
.entry{padding-block:1.75rem 3rem}
.entry+.entry{border-top:3px solid var(--line)}
.total{font-weight:600;margin-block:1.5rem 0}
.entry-head{display:flex;flex-wrap:wrap;align-items:baseline;gap:.25rem 1rem;margin-bottom:1.1rem}
.address,.dim,.aside,.place,.none,.label{color:var(--muted)}
.none{font-style:italic}
.count{font-weight:400;color:var(--muted);font-size:.85em}
.aside{font-size:.87rem}
.lead{color:var(--muted);margin-bottom:.75rem;max-width:72ch}
.empty{padding:1rem 1.25rem;background:var(--raised);border-radius:8px}
section{margin-top:2.75rem}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
nav{margin-top:1rem}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.5rem,1fr));gap:.6rem}
.card{padding:.7rem .95rem .75rem;border:1px solid var(--line);border-radius:9px;background:var(--raised);display:flex;flex-direction:column}
.card-count{font-size:1.7rem;line-height:1.2;font-weight:650;font-variant-numeric:tabular-nums;letter-spacing:-.02em}
.card-sign{font-weight:500;margin-right:.2em}
.card-label{font-size:.87rem;color:var(--muted)}
.card.zero .card-count{color:var(--muted);font-weight:500}
.card.create,.card.good{background:var(--gain-ground)}.card.create .card-count,.card.good .card-count{color:var(--gain)}
.card.update{background:var(--change-ground)}.card.update .card-count{color:var(--change)}
.card.delete,.card.bad{background:var(--loss-ground)}.card.delete .card-count,.card.bad .card-count{color:var(--loss)}
.card.warning{background:var(--warning-ground)}.card.warning .card-count{color:var(--warning)}
.card:not(.zero):is(.create,.good,.update,.delete,.bad,.warning){border-color:transparent}
.card:not(.zero):is(.create,.good,.update,.delete,.bad,.warning) .card-label{color:var(--text)}
.badge{display:inline-block;padding:.05rem .5rem;border-radius:99px;font-size:.8rem;font-weight:600;background:var(--note-ground);color:var(--note)}
.badge:is(.error,.failed){background:var(--loss-ground);color:var(--loss)}
.badge:is(.warning,.skipped){background:var(--warning-ground);color:var(--warning)}
.badge.done{background:var(--gain-ground);color:var(--gain)}
.callout{padding:.65rem .95rem;border-radius:8px;border-left:4px solid;margin-bottom:.9rem;overflow-wrap:anywhere}
.callout.warning{background:var(--warning-ground);border-color:var(--warning)}
.callout.warning b{color:var(--warning)}
.callout.note{background:var(--note-ground);border-color:var(--note);margin:.6rem 0 0}
summary{cursor:pointer;width:fit-content;max-width:100%}
.fold{margin-top:1rem}.fold>summary{color:var(--link);margin-bottom:.5rem}
.scroll{position:relative;overflow-x:auto;max-width:100%;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th,td{padding:.45rem .8rem;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
tr:last-child>:is(th,td){border-bottom:0}
thead th{background:var(--raised);font-weight:600;font-size:.87rem;color:var(--muted)}
tbody th{font-weight:500}
.diagnostic{padding:.75rem 0 .85rem;border-top:1px solid var(--line)}
.diagnostics{border-bottom:1px solid var(--line)}
.diagnostic-head{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem .7rem}
.diagnostic-head .code{color:var(--muted)}
.diagnostic-head .place{margin-left:auto}
.message{overflow-wrap:anywhere;margin-top:.2rem}
.hint{margin-top:.2rem;color:var(--muted);overflow-wrap:anywhere}
.source{margin-top:.4rem;padding:.4rem .7rem;background:var(--raised);border-radius:6px}
.line-number{color:var(--muted);margin-right:1rem;user-select:none}
mark{background:var(--change-ground);color:var(--change);border-bottom:2px solid}
.foot{padding-block:1rem 2rem}
`;
