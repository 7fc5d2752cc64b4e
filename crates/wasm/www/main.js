// The tabs, and what each shows first.
import { begin } from './explore.js';

const tabs = [...document.querySelectorAll('[role=tab]')];
let files;

function select(tab) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute('aria-selected', String(chosen));
    other.tabIndex = chosen ? 0 : -1;
    document.getElementById(other.getAttribute('aria-controls')).hidden = !chosen;
  }
  // Kernels for hashing are loaded when somebody wants to hash.
  if (tab.id === 'tab-files') files ??= import('./files-tab.js').then((module) => module.begin());
}

for (const [i, tab] of tabs.entries()) {
  tab.addEventListener('click', () => select(tab));
  tab.addEventListener('keydown', (event) => {
    const last = tabs.length - 1;
    const to = {
      ArrowRight: i === last ? 0 : i + 1, ArrowLeft: i === 0 ? last : i - 1, Home: 0, End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    tabs[to].focus();
    select(tabs[to]);
  });
}

begin();
