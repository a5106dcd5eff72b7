// Text whose contrast with what is behind it is too low.
() => {
  const parse = (text) => { const [r, g, b, a = 1] = (text.match(/[\d.]+/g) || []).map(Number); return text.startsWith('color(') ? { r: r * 255, g: g * 255, b: b * 255, a } : { r, g, b, a }; };
  const light = ({ r, g, b }) => { const [x, y, z] = [r, g, b].map((v) => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * x + .7152 * y + .0722 * z; };
  const faint = [];
  for (const one of document.querySelectorAll('body *')) {
    if (one.closest('svg, [disabled], .sr-only') || !one.checkVisibility()) continue;
    if (![...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim())) continue;
    const style = getComputedStyle(one);
    let behind = one;
    while (behind && parse(getComputedStyle(behind).backgroundColor).a < .9) behind = behind.parentElement;
    const back = behind ? parse(getComputedStyle(behind).backgroundColor) : { r: 255, g: 255, b: 255 };
    const [a, b] = [light(parse(style.color)), light(back)].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.6 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) faint.push(`${ratio.toFixed(2)} ${one.className || one.tagName}: ${one.textContent.trim().slice(0, 40)}`);
  }
  return [...new Set(faint)];
}
