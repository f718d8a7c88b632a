/** The picture of state sharing, its legend and its tables. */
export const sharingStyles = `
figure.sharing{margin-bottom:1rem}
.tools{display:flex;flex-wrap:wrap;align-items:end;gap:.6rem 1.1rem;margin-bottom:.6rem}
.tools .search{flex:0 1 18rem}
.zoom{display:inline-flex;gap:.3rem;margin-left:auto}
.zoom button{min-width:2.15rem;padding:0 .55rem}
.stage{position:relative;border:1px solid var(--line);border-radius:9px;overflow:hidden;background:var(--ground)}
.frame{overflow-x:auto}
.picture{display:block;max-width:100%;height:auto;font-family:var(--mono)}
.live .frame{overflow:hidden}
.live .picture{width:100%;height:clamp(11rem,var(--fit-height,34rem),68rem);cursor:grab}
.live .picture.moving{cursor:grabbing}
.picture:focus-visible{outline-offset:-3px}
.panel{position:absolute;top:.6rem;right:.6rem;width:19rem;max-width:calc(100% - 1.2rem);max-height:calc(100% - 1.2rem);overflow:auto;padding:.8rem 1rem .9rem;background:var(--ground);border:1px solid var(--strong);border-radius:8px;box-shadow:0 4px 18px rgb(0 0 0/.18);font-size:.92rem}
.panel.left{right:auto;left:.6rem}
.panel:empty{padding:0;border:0;box-shadow:none}
.panel h4{overflow-wrap:anywhere;font-family:var(--mono);font-size:.95rem}
.panel h5{margin:.8rem 0 .25rem;font-size:.87rem;font-weight:600;color:var(--muted)}
.panel li{overflow-wrap:anywhere;font-family:var(--mono);font-size:.85rem}
.panel .added{color:var(--gain)}.panel .removed{color:var(--loss)}
.panel .warning{color:var(--warning)}
.group rect{fill:var(--raised);stroke:var(--line)}
.group text{fill:var(--muted);font:600 var(--title,13px) var(--sans)}
.edge{fill:none;stroke:var(--edge);stroke-width:1.1}
.head path,path.head{fill:var(--edge)}
.edge.added{stroke:var(--gain);stroke-width:2.4}
.head.added path,path.head.added{fill:var(--gain)}
.edge.removed{stroke:var(--loss);stroke-width:2;stroke-dasharray:6 4}
.head.removed path,path.head.removed{fill:var(--loss)}
.mark circle{fill:var(--ground);stroke-width:1.5}
.mark path{fill:none;stroke-width:1.8;stroke-linecap:round}
.mark.added :is(circle,path){stroke:var(--gain)}
.mark.removed :is(circle,path){stroke:var(--loss)}
.mark{pointer-events:none}
.node rect{fill:var(--ground);stroke:var(--strong)}
.node text{fill:var(--text);font:12px var(--mono)}
.node .sign{font-weight:700}
.node.create rect{stroke:var(--gain);fill:var(--gain-ground);stroke-width:1.5}.node.create .sign{fill:var(--gain)}
.node.update rect{stroke:var(--change)}.node.update .sign{fill:var(--change)}
.node.delete rect{stroke:var(--loss);fill:var(--loss-ground);stroke-dasharray:5 3}.node.delete .sign{fill:var(--loss)}
.node.unread rect{stroke-dasharray:2 3}
.node.global rect{stroke:var(--warning);fill:var(--warning-ground);stroke-width:2;stroke-dasharray:none}
.node.global text,.node .all{fill:var(--warning)}
.live .node{cursor:pointer}
.node:focus{outline:none}
.node:focus-visible rect,.node.chosen rect{stroke:var(--focus-ring);stroke-width:3;stroke-dasharray:none}
.node.match rect{stroke:var(--focus-ring);stroke-width:3}
.picture.focused :is(.edge,.mark,.node):not(.near):not(.chosen),.picture.finding :is(.edge,.mark,.node):not(.match):not(.near):not(.chosen),.picture.only :is(.edge.kept,.node:not(.touched)){opacity:.13}
.picture.focused .edge.near{stroke-width:2.6}.picture.focused .edge.kept.near{stroke:var(--text)}
.legend{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem;margin-top:.6rem;font-size:.87rem;color:var(--muted)}
.legend li{display:inline-flex;align-items:center;gap:.45rem}
.keys{font-size:.82rem;color:var(--muted);margin-top:.35rem}
#content .sharing-table .chips{display:flex}
.sharing-table td{min-width:7rem}.sharing-table th:first-child,.sharing-table td:nth-child(n+3){min-width:13rem}
.section-note{margin:.8rem 0}
@media (max-width:48rem){
.panel{position:static;width:auto;max-width:none;max-height:20rem;border-width:1px 0 0;border-radius:0;box-shadow:none;background:var(--raised)}
.tools .search{flex:1 1 100%}
}
`;
