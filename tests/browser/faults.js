// What a screen reader could not make sense of: controls, landmarks and pictures without names, broken references.
() => {
  const faults = [];
  const visible = (one) => one.checkVisibility() && getComputedStyle(one).visibility !== 'hidden';
  const nameOf = (one) => {
    const by = (one.getAttribute('aria-labelledby') || '').split(/\s+/).filter(Boolean).map((id) => document.getElementById(id)?.textContent || '').join(' ');
    const label = one.id ? document.querySelector(`label[for="${CSS.escape(one.id)}"]`)?.textContent : '';
    return (by || one.getAttribute('aria-label') || label || one.closest('label')?.textContent || one.getAttribute('alt') || one.textContent || one.title || '').trim();
  };
  const tell = (what, one) => faults.push(`${what}: ${one.outerHTML.slice(0, 140)}`);
  for (const one of document.querySelectorAll('a, button, input, select, summary, dialog, [role=tab], [role=tabpanel], section, aside, nav')) {
    if (visible(one) && !nameOf(one)) tell('no name', one);
  }
  for (const one of document.querySelectorAll('section, aside, nav')) if (visible(one) && one.matches('section, aside') && !one.closest('.page, .about, .places') && !(one.getAttribute('aria-label') || one.getAttribute('aria-labelledby'))) tell('landmark without a label', one);
  for (const one of document.querySelectorAll('img')) if (!one.hasAttribute('alt')) tell('no alt', one);
  for (const one of document.querySelectorAll('svg')) if (!one.closest('[aria-hidden=true]')) tell('picture neither hidden nor named', one);
  for (const one of document.querySelectorAll('[tabindex]')) if (one.tabIndex > 0) tell('tab order forced', one);
  for (const one of document.querySelectorAll('[aria-controls], [aria-labelledby], [aria-describedby]')) {
    for (const name of ['aria-controls', 'aria-labelledby', 'aria-describedby']) {
      for (const id of (one.getAttribute(name) || '').split(/\s+/).filter(Boolean)) if (!document.getElementById(id)) tell(`${name} names nothing`, one);
    }
  }
  const ids = [...document.querySelectorAll('[id]')].map((one) => one.id);
  for (const id of new Set(ids)) if (ids.filter((other) => other === id).length > 1) faults.push(`the id ${id} stands twice`);
  for (const one of document.querySelectorAll('[role=tab]')) if (!one.closest('[role=tablist]')) tell('tab without a list', one);
  for (const one of document.querySelectorAll('li')) if (!one.closest('ul, ol')) tell('item without a list', one);
  if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
  if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
  if (document.querySelectorAll('header').length < 1 || !document.querySelector('nav')) faults.push('no header or no navigation');
  if (!document.documentElement.lang) faults.push('no language');
  if (!document.title) faults.push('no title');
  let level = 0;
  for (const one of document.querySelectorAll('h1, h2, h3, h4')) {
    if (!visible(one)) continue;
    const now = Number(one.tagName[1]);
    if (now > level + 1 && level && !one.closest('.places')) tell('a heading is skipped', one);
    level = now;
  }
  return faults;
}
