// Values that outlive the page: in `localStorage`, or in `sessionStorage` as long as the tab is open. Where storage is
// blocked, even its name throws; then they last as long as the page.

const unsaved = {};

export function recall(area, name) {
  try {
    return window[area].getItem(name);
  } catch {
    return unsaved[name] ?? null;
  }
}

// Keeps a value, or forgets it if it is null.
export function keep(area, name, value) {
  unsaved[name] = value;
  try {
    if (value === null) window[area].removeItem(name);
    else window[area].setItem(name, value);
  } catch {}
}
