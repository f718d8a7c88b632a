/** On paper there is nothing to press: no filters, every fold open, nothing cut off. */
export const printStyles = `
@media print{
@page{margin:14mm}
body{font-size:10pt}
.top,main{max-width:none;padding-inline:0}
.filters,.tools,.panel,.keys,nav,.skip,noscript{display:none!important}
details::details-content{content-visibility:visible!important;block-size:auto!important;opacity:1!important}
summary{list-style:none}
.calls pre{display:none}
.change{content-visibility:visible;break-inside:avoid-page}
h3,h4,.change-head{break-after:avoid}
.scroll{overflow:visible;border:0}
table{font-size:8.5pt}
:is(.matrix,.levels,.sharing-table) :is(th,td){min-width:0!important;padding:.3rem .4rem;position:static}
.matrix .permissions{min-width:0}
thead{display:table-header-group}
tr,.diagnostic,.card,.callout{break-inside:avoid}
.stage,.picture{break-inside:avoid;max-height:245mm}
.live .picture{height:auto}
.picture :is(.edge,.mark,.node){opacity:1!important}
.card,.badge,.chip,del,ins,.sign,.line,.changed,.callout,.failure,.source,thead th,.picture *,.legend *{print-color-adjust:exact;-webkit-print-color-adjust:exact}
a{color:inherit;text-decoration:none}
}
`;
