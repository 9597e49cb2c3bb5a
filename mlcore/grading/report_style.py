"""The look of the report and the little that moves in it: sorting and filtering its tables."""

CSS = """
:root{--right:#007a59;--partly:#0072B2;--known:#D55E00;--wrong:#8f3f00;--blank:#767676}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,sans-serif;color:#1b1b1b;background:#fff;max-width:64em;margin:2em auto;padding:0 1.2em}
h1{font-size:1.7em;margin:0}h2{font-size:1.4em;margin:2em 0 .2em;border-top:2px solid #ddd;padding-top:1em}
h3{margin:2.2em 0 .5em}h4{margin:0 0 .3em;font-size:1em}h4 small{font-weight:400;color:#555;margin-left:.5em}
header nav a{margin-right:1em}.lead{font-size:1.15em;margin:.2em 0 1.2em}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(17em,1fr));gap:1em;margin:1em 0}
.cards article{border-left:6px solid var(--known);background:#fdf3ec;padding:.9em 1.1em;border-radius:3px}
.cards b{font-size:1.35em;color:#8f3f00}.cards p{margin:.35em 0 .6em;font-size:1.12em}
.cards a{color:#555;font-size:.9em}
figure{margin:1.5em 0}figcaption{color:#555;font-size:.9em}
.histogram{width:100%;max-width:40em}.histogram rect{fill:#0072B2}
.histogram text{font-size:9px;text-anchor:middle;fill:#444}
.exercise{margin:1.3em 0;break-inside:avoid}
.bar{display:flex;height:1.5em;border-radius:3px;overflow:hidden;font-size:.82em;color:#fff;line-height:1.85em}
.bar span{padding-left:.4em;min-width:1.3em;white-space:nowrap;overflow:hidden}
.bar .right,.key .right{background:var(--right)}.bar .partly,.key .partly{background:var(--partly)}
.bar .known,.key .known{background:#b54a00}.bar .wrong,.key .wrong{background:#5c2a05}
.bar .blank,.key .blank{background:var(--blank)}
.bar .open,.key .open{background:#fff;color:#1b1b1b;border:1px dashed var(--blank)}
.unjudged{border:2px dashed var(--blank);border-radius:3px;padding:.7em 1.1em;margin:1em 0}
.unjudged ul{margin:.4em 0 0;padding-left:1.2em}
.key span{color:#fff;padding:.1em .6em;border-radius:3px;margin-right:.5em;font-size:.85em;display:inline-block}
.mistakes{list-style:none;margin:.4em 0 0;padding:0}.mistakes li{display:flex;gap:.7em;margin:.15em 0}
.mistakes b{min-width:2em;text-align:right}
table{border-collapse:collapse;font-size:.9em}th,td{padding:.3em .6em;text-align:left}
.heat td{min-width:3.2em;text-align:center;border:1px solid #fff}.heat th{font-weight:400}
.scroll{overflow-x:auto}.sortable td{text-align:center;border-bottom:1px solid #eee}
.sortable th{font-weight:400;border-bottom:1px solid #eee;white-space:nowrap}
.sortable button{font:inherit;background:none;border:0;cursor:pointer;padding:0;text-decoration:underline dotted}
.sortable th[aria-sort=ascending] button::after{content:" ▲"}
.sortable th[aria-sort=descending] button::after{content:" ▼"}
.sortable td.right{color:var(--right)}.sortable td.known{color:#b54a00;font-weight:600}
.sortable td.partly{color:var(--partly)}.sortable td.wrong{color:#5c2a05}.sortable td.blank{color:var(--blank)}
.sortable td.open{font-weight:600}
input{font:inherit;padding:.2em .5em;border:1px solid #999;border-radius:3px}
@media print{body{margin:0;max-width:none;font-size:12px}.filter,label{display:none}.scroll{overflow:visible}
.bar span,.cards article,.heat td,.key span,.histogram rect{print-color-adjust:exact;-webkit-print-color-adjust:exact}
.topic{break-before:page}.topic:first-of-type{break-before:auto}}
"""

SCRIPT = """
for (const table of document.querySelectorAll('.sortable')) {
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const up = head.getAttribute('aria-sort') !== 'ascending';
    heads.forEach(h => h.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const value = row => row.cells[column].textContent;
    const order = (a, b) => value(a).localeCompare(value(b), 'en', {numeric: true});
    [...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)).forEach(row => body.append(row));
  }));
  const words = row => (row.textContent + ' ' + [...row.cells].map(c => c.title).join(' ')).toLowerCase();
  table.closest('.topic').querySelector('.filter').addEventListener('input', event => {
    for (const row of body.rows) row.hidden = !words(row).includes(event.target.value.toLowerCase());
  });
}
"""
