// The explorer's tab that hashes files, in headless Chromium.
// MANYLANE is the native program, which reads the lists that the page saves.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { algorithms } from 'manylane';
import {
  begin,
  browser,
  clean,
  end,
  isShown,
  luminance,
  open,
  page,
  says,
  set,
  text
} from './page.mjs';

const program = process.env.MANYLANE;
assert.ok(program, 'MANYLANE is not set: run this by make test-web');
const folder = mkdtempSync(join(tmpdir(), 'manylane-web-'));

before(begin);
after(async () => {
  await end();
  rmSync(folder, { recursive: true });
});
beforeEach(() => open());

async function openFiles() {
  await page.click('#tab-files');
  await page.waitForSelector('#algorithm option');
}

// Gives the page files of these names.
async function give(...names) {
  const input = await page.$('#choose');
  await input.uploadFile(...names.map((name) => join(folder, name)));
}

// The texts of the rows' cells that are shown, without the last column.
const rows = () => page.$$eval('#digests tbody tr',
  (all) => all.map((row) => [...row.cells].slice(0, -1).map((cell) => cell.textContent)));
const marks = () => page.$$eval(
  '#digests tbody tr', (all) => all.map((row) => row.cells[row.cells.length - 1].textContent));
const more = (...names) => page.$$eval('#algorithms input', (all, names) => {
  for (const box of all)
    if (box.checked !== (names.includes(box.value) && !box.disabled)) box.click();
}, names);
const hashed = (bytes, hash = 'sha256') => createHash(hash).update(bytes).digest('hex');

test('files are hashed in workers and compared with a list', async () => {
  const contents = new Map([
    ['empty', Buffer.alloc(0)],
    ['abc.txt', Buffer.from('abc')],
    ['with space & <b>.bin', Buffer.alloc(70_000, 7)],
    ['long.bin', Buffer.alloc(9 << 20, 5)],
  ]);
  for (const [name, bytes] of contents) writeFileSync(join(folder, name), bytes);
  const digest = (name, hash = 'sha256') =>
    createHash(hash).update(contents.get(name)).digest('hex');
  await openFiles();
  await give(...contents.keys());
  await says('#files-said', '4 files hashed');
  const rows = await page.$$eval(
    '#digests tbody tr', (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  const expected = [...contents].map(
    ([name, bytes]) => [name, bytes.length.toLocaleString('en'), digest(name), '']);
  assert.deepEqual(rows, expected);
  assert.equal(await page.$eval('#progress', (bar) => bar.value), 1);
  const list = [
    `${digest('empty')}  some/folder/empty`,
    `SHA256 (abc.txt) = ${digest('abc.txt').toUpperCase()}`,
    `${'0'.repeat(64)} *long.bin`,
    `${digest('empty')}  not there`,
    '# a comment',
  ].join('\r\n');
  await set('#list', list);
  await says('#files-said', '2 as listed, 1 different, 1 not listed; 1 of the list not given');
  const marks =
    await page.$$eval('#digests tbody tr', (all) => all.map((row) => row.cells[3].textContent));
  assert.deepEqual(marks, ['same', 'same', 'not listed', 'different']);
  await set('#list', 'what is this');
  await says('#files-error', 'line 1 of the list is no digest');
  await set('#list', '');
  await page.waitForFunction(() => document.querySelector('#files-error').hidden);
  await set('#algorithm', 'md5');
  await says('#digests tbody', digest('abc.txt', 'md5'));
  assert.match(await text('#files-warning'), /Not for new use/);
  // Dropped, as a file manager drops them.
  await page.evaluate(() => {
    const data = new DataTransfer();
    for (let i = 0; i < 130; i++) data.items.add(new File([new Uint8Array(i)], `drop ${i}`));
    const drop = document.querySelector('#drop');
    for (const type of ['dragenter', 'dragover', 'drop']) {
      drop.dispatchEvent(
        new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }
  });
  await says('#files-said', '130 files hashed');
  const last = await text('#digests tbody tr:last-child td:nth-of-type(2)');
  assert.equal(last, createHash('md5').update(Buffer.alloc(129)).digest('hex'));
  await clean();
});

test('folders are hashed, and lists of another hash are told from changed files', async () => {
  mkdirSync(join(folder, 'tree/below'), { recursive: true });
  mkdirSync(join(folder, 'other'));
  for (const [name, bytes] of [['tree/a', 'one'], ['tree/below/a', 'two'], ['other/empty', '']]) {
    writeFileSync(join(folder, name), bytes);
  }
  await openFiles();
  const cells = (i) =>
    page.$$eval('#digests tbody tr', (all, i) => all.map((row) => row.cells[i].textContent), i);
  const devtools = await page.createCDPSession();
  const { x, y } = await page.$eval('#drop', (drop) => drop.getBoundingClientRect().toJSON());
  const data = {
    items: [],
    files: [join(folder, 'tree'), join(folder, 'other/empty')],
    dragOperationsMask: 1
  };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await devtools.send('Input.dispatchDragEvent', { type, x: x + 20, y: y + 20, data });
  }
  await says('#files-said', '3 files hashed');
  assert.deepEqual((await cells(0)).sort(), ['empty', 'tree/a', 'tree/below/a']);
  const of = (bytes, hash = 'sha256') => createHash(hash).update(bytes).digest('hex');
  // Files of one name are told apart by their paths.
  await set('#list', `${of('two')}  tree/a\n${of('two')}  tree/below/a\n${of('', 'md5')}  empty`);
  await says('#files-said',
    '1 as listed, 1 different, 0 not listed; 1 listed with another hash: choose that hash');
  const marks = Object.fromEntries((await cells(0)).map((name, i) => [name, i]));
  const said = await cells(3);
  const found = ['tree/a', 'tree/below/a', 'empty'].map((name) => said[marks[name]]);
  assert.deepEqual(found, ['different', 'same', 'another hash']);
  await set('#list', `SHA3-256 (empty) = ${of('', 'sha3-256')}`);
  await says('#files-said', '1 listed with another hash');
  await set('#list', `SHA256 (empty) = ${of('')}`);
  await says('#files-said', '1 as listed');
  await set('#algorithm', 'sha3-256');
  await says('#files-said', '0 as listed, 0 different, 2 not listed; 1 listed with another hash');
  await set('#list', `SHA3-256 (empty) = ${of('', 'sha3-256')}`);
  await says('#files-said', '1 as listed');
  // Text is no file: what is shown stays.
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/plain', 'text');
    document.querySelector('#drop').dispatchEvent(
      new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  assert.equal((await cells(0)).length, 3);
  // A file that is gone has its row, and no line to copy. The focus stays near when the keyboard
  // stops.
  rmSync(join(folder, 'other/empty'));
  writeFileSync(join(folder, 'gone'), 'x');
  await give('gone');
  await says('#files-said', '1 file hashed');
  rmSync(join(folder, 'gone'));
  await set('#algorithm', 'md5');
  await says('#files-said', '1 could not be read');
  assert.equal(await page.$eval('#copy', (button) => button.disabled), true);
  await page.evaluate(() => {
    const stop = document.querySelector('#stop');
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(60 << 20)], 'long'));
    document.querySelector('#drop').dispatchEvent(
      new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    stop.focus();
    stop.click();
  });
  await says('#files-said', 'Stopped.');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'choose');
  await clean();
});


// What the browser saves when the button is pressed.
async function saved() {
  const downloads = mkdtempSync(join(folder, 'saved-'));
  const devtools = await browser.target().createCDPSession();
  await devtools.send('Browser.setDownloadBehavior',
    { behavior: 'allow', downloadPath: downloads, eventsEnabled: true });
  const completed = new Promise((resolve) => {
    devtools.on('Browser.downloadProgress', ({ state }) => {
      if (state === 'completed') resolve();
    });
  });
  await page.click('#save');
  await completed;
  await devtools.detach();
  const [name] = readdirSync(downloads);
  assert.ok((await text('#files-said')).endsWith(`saved as ${name}.`));
  const path = join(downloads, name);
  return { name, path, text: readFileSync(path, 'utf8') };
}

// Runs a program among the files; it must accept what it is given.
function accepted(command, ...given) {
  const { status, stdout, stderr } = spawnSync(command, given, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${given.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}

test('a key makes tags of HMAC, and is kept nowhere', async () => {
  const contents = [Buffer.from('abc'), Buffer.alloc(3 << 20, 7)];
  contents.forEach((bytes, i) => writeFileSync(join(folder, `keyed ${i}`), bytes));
  await openFiles();
  const digests = async () => (await rows()).map((cells) => cells.at(-1));
  const tags = (key, hash = 'sha256') =>
    contents.map((bytes) => createHmac(hash, key).update(bytes).digest('hex'));
  assert.equal(await isShown('#key'), false);
  await give('keyed 0', 'keyed 1');
  await says('#files-said', '2 files hashed');
  const before = await page.evaluate(() => [location.href, history.length]);
  await page.select('#key-form', 'text');
  await says('#files-said', 'Write the key.');
  assert.deepEqual(
    [await digests(), await isShown('#key'), await isShown('#key-error')], [[], true, false]);
  assert.equal(await page.$eval('#save', (button) => button.disabled), true);
  // Typed as a reader does; what is no ASCII counts as its UTF-8 bytes, and blanks are a part of
  // it.
  await page.type('#key', ' Geheimnis: ключ ');
  await page.keyboard.press('Enter');
  await says('#files-said', '2 files hashed under the key');
  assert.deepEqual(await digests(), tags(' Geheimnis: ключ '));
  assert.equal(await text('#digest-column'), 'HMAC tag');
  await set('#algorithm', 'sha3-512');
  await says('#digests', tags(' Geheimnis: ключ ', 'sha3-512')[0]);
  await set('#algorithm', 'sha256');
  await says('#digests', tags(' Geheimnis: ключ ')[0]);
  // Hexadecimal digits, of either case and with blanks; longer than a block too.
  for (const key of [Buffer.from('00ff7fa0', 'hex'), Buffer.alloc(131, 0xaa)]) {
    await page.select('#key-form', 'hex');
    await set('#key', key.toString('hex').toUpperCase().replace(/(.{6})/g, '$1 '));
    await says('#digests', tags(key)[0]);
    assert.deepEqual(await digests(), tags(key));
  }
  for (const [wrong, words] of [
    ['00ff7', 'has 5 hexadecimal digits, and a byte has two'],
    ['0', 'has 1 hexadecimal digit, and'],
    ['0x00ff', 'character 2 of the key is no hexadecimal digit'],
    ['secret', 'character 1 of the key'],
    ['00 f\u{1f511}', 'character 5 of the key'],
  ]) {
    await set('#key', wrong);
    await says('#key-error', words);
    assert.deepEqual([await digests(), await isShown('#key-error')], [[], true]);
    assert.match(await text('#files-said'), /2 files not hashed: the key is wrong/);
    assert.equal(await page.$eval('#key', (input) => input.getAttribute('aria-invalid')), 'true');
    if (wrong.trim().length > 1) assert.ok(!(await text('#key-error')).includes(wrong));
  }
  assert.equal(await page.$eval('#key-error', (element) => element.getAttribute('role')), 'alert');
  await set('#key', '00');
  await says('#digests', tags(Buffer.alloc(1))[0]);
  assert.equal(await isShown('#key-error'), false);
  // A field that was emptied waits; Enter says that the empty key is meant, in either form.
  const warned = () => isShown('#key-warning');
  for (const form of ['hex', 'text']) {
    await page.select('#key-form', form);
    await set('#key', '00');
    await says('#digests', tags(Buffer.from(form === 'hex' ? '\0' : '00'))[0]);
    await set('#key', '');
    await says('#files-said', 'Write the key. Enter in the empty field');
    const shown = [await digests(), await warned(), await isShown('#key-error')];
    assert.deepEqual(shown, [[], false, false]);
    await set('#algorithm', 'sha512');
    await says('#files-said', 'Write the key.');
    await page.focus('#key');
    await page.keyboard.press('Enter');
    await says('#files-said', '2 files hashed under the key');
    assert.deepEqual([await digests(), await warned()], [tags('', 'sha512'), true]);
    assert.match(await text('#key-warning'), /anybody can make these tags/);
    await set('#algorithm', 'sha256');
    await says('#digests', tags('')[0]);
    await page.type('#key', '00');
    await page.keyboard.press('Enter');
    await says('#digests', tags(Buffer.from(form === 'hex' ? '\0' : '00'))[0]);
    assert.equal(await warned(), false);
  }
  // It is covered until somebody wants to see it.
  assert.equal(await page.$eval('#key', (input) => input.type), 'password');
  await page.click('#key-shown');
  assert.equal(await page.$eval('#key', (input) => input.type), 'text');
  const kept = await page.evaluate(() => [location.href, history.length, localStorage.length,
                                     sessionStorage.length, document.cookie]);
  assert.deepEqual(
    kept, [before[0].replace(/&hash=\w+/, '') + '&hash=sha256', before[1], 0, 0, '']);
  await page.reload();
  await page.waitForSelector('#algorithm option');
  assert.deepEqual(await page.$eval('#key', (input) => input.value), '');
  assert.equal(await page.$eval('#key-form', (list) => list.value), 'none');
  await give('keyed 0');
  await says('#digests', hashed('abc'));
  await clean();
});

test('the tags of every hash are those of the program', async () => {
  writeFileSync(join(folder, 'one'), 'abc');
  writeFileSync(join(folder, 'two'), Buffer.alloc(1500, 1));
  const key = Buffer.from('a key as long as nobody remembers');
  writeFileSync(join(folder, 'key'), key);
  await openFiles();
  const names = algorithms().map(({ name }) => name);
  // The list's hash comes first in both.
  const order = ['sha256', ...names.filter((name) => name !== 'sha256')];
  await give('one', 'two');
  await says('#files-said', '2 files hashed');
  await more(...names);
  await says('#files-said', `2 files hashed by ${names.length} functions`);
  const plain = await saved();
  assert.equal(plain.name, 'CHECKSUMS');
  assert.equal(plain.text, accepted(program, 'sum', '-a', order.join(), 'one', 'two'));
  assert.equal(accepted(program, 'sum', '-c', '--quiet', plain.path), '');
  await page.select('#key-form', 'hex');
  await set('#key', key.toString('hex'));
  await says('#files-said', `2 files hashed by ${names.length} functions under the key`);
  const keyed = await saved();
  const asked = order.map((name) => `hmac-${name}`).join();
  assert.equal(
    keyed.text, accepted(program, 'sum', '-a', asked, '--key-file', 'key', 'one', 'two'));
  await clean();
});

test('the saved list is what coreutils and the program read', async () => {
  const names = [
    'plain', 'two words', ' blanks ', '#hash', '*star', 'ünïcode', 'back\\slash', 'new\nline',
    'cr\rhere', '\\n'
  ];
  names.forEach((name, i) => writeFileSync(join(folder, name), `content ${i}`));
  mkdirSync(join(folder, 'some/where'), { recursive: true });
  writeFileSync(join(folder, 'some/where/below'), 'content');
  writeFileSync(join(folder, 'key'), 'key');
  await openFiles();
  await give(...names);
  await says('#files-said', `${names.length} files hashed`);
  const one = await saved();
  assert.equal(one.name, 'SHA256SUMS');
  assert.equal(one.text, accepted('sha256sum', ...names));
  assert.equal(accepted('sha256sum', '-c', '--strict', '--quiet', one.path), '');
  assert.equal(accepted(program, 'sum', '-c', '--strict', '--quiet', one.path), '');
  // What was saved is what is compared.
  await set('#list', one.text);
  await says('#files-said', `${names.length} as listed, 0 different, 0 not listed`);
  await set('#list', '');
  await set('#algorithm', 'sha512-256');
  await says('#files-said', 'files hashed');
  assert.equal((await saved()).name, 'SHA512-256SUMS');
  await set('#algorithm', 'sha256');
  await more('md5', 'sha3-256');
  await says('#files-said', 'files hashed by 3 functions');
  const many = await saved();
  assert.equal(many.text, accepted(program, 'sum', '-a', 'sha256,md5,sha3-256', ...names));
  assert.equal(accepted(program, 'sum', '-c', '--strict', '--quiet', many.path), '');
  await set('#list', many.text);
  await says('#files-said', `${names.length} as listed, 0 different, 0 not listed`);
  await set('#list', '');
  await more();
  await page.select('#key-form', 'text');
  await set('#key', 'key');
  await says('#files-said', 'files hashed under the key');
  const keyed = await saved();
  assert.equal(keyed.name, 'HMAC-SHA256SUMS');
  assert.equal(accepted(program, 'sum', '-c', '--strict', '--quiet', '-a', 'hmac-sha256',
                 '--key-file', 'key', keyed.path),
    '');
  // A file that cannot be read has no line, and paths of folders are in the list.
  await page.select('#key-form', 'none');
  const devtools = await page.createCDPSession();
  const { x, y } = await page.$eval('#drop', (drop) => drop.getBoundingClientRect().toJSON());
  const data = { items: [], files: [join(folder, 'some')], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await devtools.send('Input.dispatchDragEvent', { type, x: x + 20, y: y + 20, data });
  }
  await says('#digests', 'some/where/below');
  const below = await saved();
  assert.equal(below.text, `${hashed('content')}  some/where/below\n`);
  assert.equal(accepted('sha256sum', '-c', '--quiet', below.path), '');
  await clean();
});

test('several hash functions are chosen by keyboard, and each digest is compared with its own',
  async () => {
    writeFileSync(join(folder, 'a'), 'one');
    writeFileSync(join(folder, 'b'), 'two');
    await openFiles();
    await give('a', 'b');
    await says('#files-said', '2 files hashed.');
    assert.equal(await isShown('#hash-column'), false);
    await page.focus('#more summary');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    const first = await page.evaluate(() => document.activeElement.parentNode.textContent.trim());
    assert.equal(first, 'MD5');
    await page.keyboard.press('Space');
    await says('#files-said', '2 files hashed by 2 functions.');
    assert.equal(await page.evaluate(() => document.activeElement.value), 'md5');
    assert.equal(await text('#more-count'), ' (1 chosen)');
    assert.equal(await isShown('#hash-column'), true);
    assert.match(await text('#files-warning'), /^Not for new use\. MD5: collisions/);
    assert.equal(
      await page.$eval('#files-said', (element) => element.getAttribute('aria-live')), 'polite');
    const expected = [['a', 'one'], ['b', 'two']].flatMap(([name, bytes]) => [
      [name, '3', 'SHA256', hashed(bytes)], [name, '3', 'MD5', hashed(bytes, 'md5')],
    ]);
    assert.deepEqual(await rows(), expected);
    assert.match(await page.evaluate(() => location.hash), /hash=sha256%2Cmd5/);
    // A list of one hash says nothing of another; one digest that differs makes a file different.
    await set('#list', `${hashed('one')}  a\n${hashed('two')}  b`);
    await says('#files-said', '2 as listed, 0 different');
    assert.deepEqual(await marks(), ['same', 'another hash', 'same', 'another hash']);
    await set('#list',
      `SHA256 (a) = ${hashed('one')}\nMD5 (a) = ${hashed('', 'md5')}\nHMAC-MD5 (b) = ${
        hashed('two', 'md5')}`);
    await says('#files-said', '0 as listed, 1 different, 0 not listed; 1 listed with another hash');
    assert.deepEqual(await marks(), ['same', 'different', 'another hash', 'another hash']);
    // Digests of one length: a line without a name is of the hash that has made it.
    await more('sha3-256');
    await set('#list', `${hashed('one', 'sha3-256')}  a\n${hashed('')}  b`);
    await says('#files-said', '1 as listed, 1 different');
    assert.deepEqual(await marks(), ['another hash', 'same', 'different', 'different']);
    // The address brings all of them back, and what is chosen in the list is chosen once.
    await page.reload();
    await page.waitForFunction(
      () => document.querySelector('#algorithms input[value=sha3-256]')?.checked);
    await set('#algorithm', 'sha3-256');
    assert.equal(
      await page.$eval('#algorithms input[value=sha3-256]', (box) => box.disabled), true);
    await give('a');
    await says('#files-said', '1 file hashed.');
    await page.evaluate(() => {
      location.hash = '#tab=files&hash=md5,nonsense,sha1,md5';
    });
    await says('#files-said', '1 file hashed by 2 functions.');
    assert.deepEqual((await rows()).map((cells) => cells[2]), ['MD5', 'SHA1']);
    await clean();
  });

test('the tab for files fits narrow screens and both colour schemes', async () => {
  writeFileSync(
    join(folder, 'a-name-that-is-longer-than-a-narrow-screen-and-has-no-blank-in-it.bin'), 'x');
  await openFiles();
  await page.$eval('#more', (more) => { more.open = true; });
  await more('sha512', 'md5');
  await page.select('#key-form', 'hex');
  await set('#key', '0');
  await give('a-name-that-is-longer-than-a-narrow-screen-and-has-no-blank-in-it.bin');
  await says('#key-error', 'a byte has two');
  await set('#key', '00');
  await says('#files-said', '1 file hashed by 3 functions');
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    const colours = await page.evaluate(() => {
      const rgb = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number);
      const texts = [
        'legend', '#algorithms label', 'label[for=key]', '#key-help', '#key', '#digests td',
        '#list-help', 'summary', '#files-warning'
      ];
      const of = (one) =>
        rgb(getComputedStyle(document.querySelector(`#panel-files ${one}`)).color);
      return {
        ground: rgb(getComputedStyle(document.body).backgroundColor),
        texts: texts.map((one) => [one, of(one)])
      };
    });
    for (const [what, colour] of colours.texts) {
      const [low, high] = [luminance(colours.ground), luminance(colour)].sort((a, b) => a - b);
      assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${scheme}: ${what} ${colour}`);
    }
  }
  await page.setViewport({ width: 320, height: 700 });
  const overflows = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(overflows <= 0, `${overflows} pixels too wide`);
  await clean();
});
