/** The style of the report's file. Colours of variants repeat after eight; their marks and names tell them apart as well. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --bg: #ffffff; --fg: #1b2430; --muted: #556070; --line: #d3dae3; --soft: #f4f6f9;
  --pass: #12703f; --fail: #b3261e; --warn: #855300; --link: #1f5fc4; --h0: #f8d9d6; --h1: #fae6cf; --h2: #f3f0cf; --h3: #dcefd6; --h4: #c5e8cf;
  --s0: #2563c9; --s1: #b35300; --s2: #187a62; --s3: #8440a8; --s4: #a62c63; --s5: #5b6600; --s6: #0a7096; --s7: #77492a; }
@media (prefers-color-scheme: dark) { :root { --bg: #11161d; --fg: #e7ecf2; --muted: #a3afbe; --line: #303a47; --soft: #1a212b;
  --pass: #57cf95; --fail: #ff8d85; --warn: #e9bd58; --link: #83b4ff; --h0: #4d2421; --h1: #4a3318; --h2: #423f1c; --h3: #263f26; --h4: #17492f;
  --s0: #7fb0ff; --s1: #f0a35a; --s2: #5fd0b3; --s3: #cf9bee; --s4: #f28ab8; --s5: #c4cf5c; --s6: #62c4ea; --s7: #d6a585; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; background: var(--bg); color: var(--fg); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; overflow-wrap: anywhere; } h4 { font-size: .9rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; } .muted { color: var(--muted); } a { color: var(--link); }
.note { border-left: 4px solid var(--warn); background: var(--soft); padding: .5rem .75rem; margin: .75rem 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; } th, td { padding: .4rem .5rem; text-align: left; vertical-align: top; }
thead th { border-bottom: 1px solid var(--line); color: var(--muted); font-weight: 600; white-space: nowrap; }
tbody tr + tr > * { border-top: 1px solid var(--line); } .num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
tbody th { font-weight: 600; } .name { overflow-wrap: anywhere; min-width: 8rem; }
.charts { display: grid; align-items: start; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
figure { margin: 0; border: 1px solid var(--line); border-radius: 6px; padding: .75rem; } figcaption { font-weight: 600; font-size: .9rem; }
svg { display: block; width: 100%; max-width: 32rem; height: auto; margin: .5rem auto 0; } svg text { fill: var(--fg); font: 11px system-ui, sans-serif; }
svg .quiet { fill: var(--muted); } svg .axis { stroke: var(--line); } svg .bar-back { fill: var(--soft); } svg .whisker { stroke: var(--fg); stroke-width: 1.5; fill: none; }
svg .dot { fill-opacity: .45; } svg .mean { stroke: var(--bg); stroke-width: 1.5; }
${Array.from({ length: 8 }, (_, index) => `.s${index} { fill: var(--s${index}); color: var(--s${index}); }`).join(" ")}
${Array.from({ length: 5 }, (_, index) => `.h${index} { background: var(--h${index}); }`).join(" ")}
.heat td { text-align: center; white-space: nowrap; } .heat a { color: inherit; }
.badge { display: inline-block; min-width: 3.2rem; text-align: center; border: 1px solid currentColor; border-radius: 4px; font-size: .8rem; font-weight: 600; padding: 0 .35rem; }
.pass { color: var(--pass); } .fail { color: var(--fail); } .error, .missing { color: var(--warn); }
details.cell { border: 1px solid var(--line); border-radius: 6px; margin: .4rem 0; } details.cell > summary { padding: .5rem .75rem; cursor: pointer; overflow-wrap: anywhere; }
.inside { padding: 0 .75rem .75rem; } .text { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); border-radius: 4px; padding: .5rem .75rem; max-height: 30rem; overflow-y: auto; margin: 0; font: inherit; font-size: .9rem; }
ul.checks { list-style: none; margin: 0; padding: 0; } ul.checks li { margin: .2rem 0; overflow-wrap: anywhere; } code { font-size: .85em; overflow-wrap: anywhere; }
ul.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: .5rem 0 0; font-size: .85rem; } ul.legend svg { display: inline; width: 12px; margin: 0 .3rem 0 0; vertical-align: -1px; }
@media print { details.cell > .inside { break-inside: avoid; } }
`;
