// The tabs, and what each shows first.
import { asked, keep } from './address.js';
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
  if (tab.id === 'tab-files')
    files ??= import('./files-tab.js').then((module) => module.begin()).catch(failed);
}

function failed(error) {
  const said = document.getElementById('files-error');
  said.hidden = false;
  said.textContent = `Files cannot be hashed: ${error.message}`;
}

function choose(tab) {
  select(tab);
  keep({ tab: tab.id.replace('tab-', '') });
}

// The tab that the address names.
function recall() {
  const named = tabs.find(({ id }) => id === `tab-${asked().get('tab')}`);
  select(named ?? tabs[0]);
}

for (const [i, tab] of tabs.entries()) {
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', (event) => {
    const last = tabs.length - 1;
    const to = {
      ArrowRight: i === last ? 0 : i + 1, ArrowLeft: i === 0 ? last : i - 1, Home: 0, End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    tabs[to].focus();
    choose(tabs[to]);
  });
}

// The link's own address would replace the question.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  document.getElementById('content').focus();
});

window.addEventListener('hashchange', recall);
recall();
begin();
