/** Narrows a list of changes down to what a form says. Nothing chosen in a group means all of it. */
export const filtersScript = `
for (const form of document.querySelectorAll('form[data-filters]')) {
  const list = document.getElementById(form.dataset.filters);
  const status = document.querySelector('[data-status="' + form.dataset.filters + '"]');
  const items = Array.from(list.children);
  const texts = items.map(() => null);
  const whole = status.textContent;
  const fits = (chosen, value) => chosen.length === 0 || chosen.includes(value);
  const apply = () => {
    const data = new FormData(form);
    const words = data.get('text').toLowerCase().split(/\\s+/).filter(Boolean);
    const project = data.get('project') || '';
    let shown = 0;
    items.forEach((item, index) => {
      const { action, kind, result, projects } = item.dataset;
      let visible = fits(data.getAll('action'), action) && fits(data.getAll('kind'), kind) &&
        fits(data.getAll('result'), result) && (project === '' || projects.split(' ').includes(project));
      if (visible && words.length > 0) {
        const text = (texts[index] ??= item.textContent.toLowerCase());
        visible = words.every((word) => text.includes(word));
      }
      item.hidden = !visible;
      if (visible) shown += 1;
    });
    const number = (count) => String(count).replace(/\\B(?=(\\d{3})+$)/g, ',');
    status.textContent = shown === items.length ? whole
      : shown === 0 ? 'No ' + status.dataset.noun + ' match.'
      : number(shown) + ' of ' + number(items.length) + ' ' + status.dataset.noun;
  };
  form.hidden = false;
  form.addEventListener('input', apply);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(apply));
  const reveal = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target || !target.hidden || !list.contains(target)) return;
    form.reset();
    setTimeout(() => target.scrollIntoView());
  };
  addEventListener('hashchange', reveal);
  // A browser may keep what was chosen before the page was loaded again.
  apply();
}
`;
