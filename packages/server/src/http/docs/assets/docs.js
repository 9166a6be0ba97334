// Adds what needs a script: a button that copies each block of code, and menus that close with Escape.
for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  const status = document.createElement('span');
  status.className = 'unseen';
  status.setAttribute('role', 'status');
  button.addEventListener('click', () => void copyAndTell(block, button, status));
  block.append(button, status);
}

async function copyAndTell(block, button, status) {
  const code = block.querySelector('code');
  const copied = await copy(code.textContent);
  if (!copied) getSelection().selectAllChildren(code);
  button.textContent = copied ? 'Copied' : 'Selected: press Ctrl+C';
  status.textContent = button.textContent;
  setTimeout(() => {
    button.textContent = 'Copy';
    status.textContent = '';
  }, 2_000);
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text.trimEnd());
    return true;
  } catch {
    // Not over plain HTTP from elsewhere, or not allowed: it is selected instead.
    return false;
  }
}

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  const menu = document.querySelector('details.menu[open]');
  if (!menu) return;
  menu.open = false;
  menu.querySelector('summary').focus();
});
