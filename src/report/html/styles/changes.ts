/**
 * The list of changes. What is far off the screen is not laid out until it comes near. Its items are blocks: as list
 * items a browser counts all that follow anew for each one that a filter hides.
 */
export const changesStyles = `
.filters{display:flex;flex-wrap:wrap;align-items:end;gap:.6rem 1.1rem;padding:.85rem 1rem;background:var(--raised);border:1px solid var(--line);border-radius:9px}
.filters fieldset{position:relative;border:0;margin:0;padding:1.4rem 0 0;min-width:0;display:flex;flex-wrap:wrap;gap:.3rem}
.label{display:block;font-size:.8rem;padding:0;margin-bottom:.2rem}
legend.label{position:absolute;top:0;margin:0}
.search{flex:1 1 11rem;min-width:0}
input[type=search],select,button{font:inherit;font-size:.92rem;height:2.15rem;padding:0 .7rem;border:1px solid var(--strong);border-radius:6px;background:var(--ground);color:var(--text);max-width:100%}
input[type=search]{width:100%}
button{cursor:pointer}
button:hover,.choice:hover span{border-color:var(--text)}
.choice{position:relative;display:inline-flex;cursor:pointer}
.choice input{position:absolute;inset:0;width:100%;height:100%;margin:0;opacity:0;cursor:pointer}
.choice>span{display:inline-flex;align-items:center;gap:.4em;height:2.15rem;padding:0 .7rem;border:1px solid var(--strong);border-radius:6px;background:var(--ground);font-size:.92rem;white-space:nowrap}
.choice input:checked+span{background:var(--note-ground);border-color:var(--note);box-shadow:inset 0 0 0 1px var(--note);color:var(--note);font-weight:600}
.choice input:checked+span .count{color:inherit}
.choice input:focus-visible+span{outline:2px solid var(--focus-ring);outline-offset:2px}
.status{margin:.7rem 0 .2rem;font-size:.87rem;color:var(--muted)}
.changes{border-bottom:1px solid var(--line)}
.change{display:block;padding:.8rem 0 .85rem;border-top:1px solid var(--line);content-visibility:auto;contain-intrinsic-size:auto 8rem;scroll-margin-top:1rem}
.change:target{box-shadow:inset 4px 0 0 var(--link);padding-left:.9rem}
.change-head{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .65rem;min-width:0}
.change-head h4{max-width:calc(100% - 2.1rem);font-weight:600}
.change-head h4 code{font-size:.95em}
.change-head .dim{font-weight:400}
.change-head .place{margin-left:auto}
.sign{display:inline-grid;place-items:center;width:1.35rem;height:1.35rem;border-radius:5px;font:700 .95rem/1 var(--mono);flex:none}
.sign.create{background:var(--gain-ground);color:var(--gain)}
.sign.update{background:var(--change-ground);color:var(--change)}
.sign.delete{background:var(--loss-ground);color:var(--loss)}
.fields{margin:.45rem 0 0 2rem;font-size:.93rem}
.fields>div{display:grid;grid-template-columns:minmax(8rem,15rem) minmax(0,1fr);gap:0 1rem;padding:.14rem 0}
.fields dt{color:var(--muted);overflow-wrap:anywhere}
.fields dd{min-width:0;overflow-wrap:anywhere;unicode-bidi:isolate;font-family:var(--mono);font-size:.92em;color:var(--muted)}
.change.create .fields dd{color:var(--text)}
.fields .aside{font-family:var(--sans)}
del small,ins small{font-family:var(--sans);opacity:.85}
del,ins{text-decoration:none;border-radius:4px;padding:.05rem .35rem;box-decoration-break:clone;-webkit-box-decoration-break:clone}
del{background:var(--loss-ground);color:var(--loss)}
ins{background:var(--gain-ground);color:var(--gain)}
del .none,ins .none{color:inherit}
.chips{display:inline-flex;flex-wrap:wrap;gap:.25rem;margin-right:.5rem;vertical-align:top;max-width:100%}
.chip{padding:.05rem .45rem;border-radius:5px;background:var(--raised);border:1px solid var(--line);max-width:100%;min-width:0}
.chip b,.permissions b,.line b{font-family:var(--mono);margin-right:.15em}
.chip.gain{background:var(--gain-ground);color:var(--gain);border-color:transparent}
.chip.loss{background:var(--loss-ground);color:var(--loss);border-color:transparent}
.chip.warning{background:var(--warning-ground);color:var(--warning);border-color:transparent}
.more{color:var(--muted);font-size:.87rem}
.lines{border:1px solid var(--line);border-radius:6px;overflow:hidden;font-family:var(--mono)}
.line{display:grid;grid-template-columns:auto minmax(0,1fr);gap:.5rem;padding:0 .6rem;min-height:1.5em}
.line code{white-space:pre-wrap;font-size:inherit}
.line.gain{background:var(--gain-ground);color:var(--gain)}
.line.loss{background:var(--loss-ground);color:var(--loss)}
.lines .more{display:block;padding:0 .6rem;font-family:var(--sans)}
.permissions{font-size:.9rem}
.change>.permissions{margin:.3rem 0 0 2rem;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));gap:0 1rem}
.permissions .gain{color:var(--gain)}.permissions .loss{color:var(--loss)}
.permissions li{overflow-wrap:anywhere}
.change>.aside{margin-left:2rem}
.calls{margin:.35rem 0 0 2rem;font-size:.87rem;color:var(--muted)}
.calls>summary:hover{color:var(--text)}
.calls ol{margin:.3rem 0 0 1.1rem}
.calls p{margin:.3rem 0 0 1.1rem}
.calls pre{padding:.35rem .6rem;margin:.15rem 0 .35rem;background:var(--raised);border-radius:6px;overflow-wrap:anywhere}
.failure{margin:.45rem 0 0 2rem;padding:.5rem .8rem;border-left:4px solid var(--loss);background:var(--loss-ground);border-radius:6px;overflow-wrap:anywhere}
.failure.skipped{border-color:var(--warning);background:var(--warning-ground)}
.failure .message{display:block;margin:0}
.unmanaged{margin-top:1.2rem}.unmanaged .chips{margin-top:.5rem}
@media (max-width:40rem){
.fields>div{grid-template-columns:minmax(0,1fr);padding:.25rem 0}
.fields,.calls,.failure,.change>.permissions,.change>.aside{margin-left:0}
.change-head .place{margin-left:0;flex-basis:100%}
.choice>span,.filters select,.filters button{padding:0 .55rem}
}
`;
