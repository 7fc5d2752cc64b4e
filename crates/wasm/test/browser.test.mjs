// The explorer in headless Chromium, driven as a reader drives it. files.test.mjs has its tab for
// files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { serve } from './chromium.mjs';
import {
  begin,
  clean,
  end,
  isShown,
  luminance,
  open,
  origin,
  page,
  says,
  set,
  site,
  text
} from './page.mjs';

before(begin);
after(end);

// Every platform has its figures.
const filled = () => page.waitForFunction(() => {
  const cells = [...document.querySelectorAll('#platforms [data-column=cycles]')];
  return cells.length >= 8 && cells.every((cell) => /^[\d,]+$/.test(cell.textContent));
});

beforeEach(() => open());

test('the page and all that it may load are under 2 MB', () => {
  const size = (path) => statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + size(join(path, name)), 0)
    : statSync(path).size;
  const total = size(site);
  console.log(`the whole site: ${(total / 1e6).toFixed(2)} MB`);
  assert.ok(total < 2_000_000, `${total} bytes`);
});

test('it answers for the primitive, the part and the length that are chosen', async () => {
  await says('#answer', 'sha256: at most');
  const first = await page.evaluate(() => performance.now());
  console.log(`the first answer: ${first.toFixed(0)} ms after the page began to load, or less`);
  assert.ok((await page.$$('#graph svg .unit')).length > 20);
  await set('#primitive', 'md5');
  await says('#answer', 'md5: at most 1.5');
  assert.match(await text('#warning'), /Not for new use: collisions/);
  await set('#part', 'round');
  await says('#answer', 'md5: at most');
  await says('#answer', 'round');
  await set('#part', 'message');
  await set('#length', '200');
  await says('#answer', 'a message of 200 bytes');
  await says('#made-by', 'manylane explain md5 --part message --length 200');
  assert.equal(await isShown('#explain-error'), false);
  // A part that a primitive lacks is said, and the next question is answered.
  await set('#primitive', 'keccak256');
  await set('#part', 'schedule');
  await says('#explain-error', 'has no schedule step');
  assert.equal(
    await page.$eval('#explain-error', (element) => element.getAttribute('role')), 'alert');
  await set('#part', 'compression');
  await says('#answer', 'keccak256: at most');
  assert.equal(await isShown('#explain-error'), false);
  await set('#length', '-3');
  await says('#explain-error', '0 to 65536 bytes');
  // Nothing is shown for another length, now or later.
  await page.click('tr[data-platform=unit] button');
  await new Promise((resolve) => setTimeout(resolve, 1000));
  assert.equal(await isShown('#explain-error'), true);
  for (const id of ['answer', 'graph', 'plan-title', 'plan-answer', 'plan'])
    assert.equal(await text(`#${id}`), '', id);
  assert.match(await text('tr[data-platform=unit]'), /takes 1----Show$/);
  await set('#length', '0');
  await says('#answer', 'keccak256: at most');
  await clean();
});

test('every platform has its plan, and a changed file another one', async () => {
  await filled();
  await says('#plan-title', 'SHA-256, a message of 64 bytes, on');
  await page.click('tr[data-platform=unit] button');
  await says('#plan-title', 'on Two equal cores');
  assert.equal(await page.$eval(
                 'tr[data-platform=unit] button', (button) => button.getAttribute('aria-pressed')),
    'true');
  await says('#plan-answer', 'worth it');
  assert.ok((await page.$$('#plan svg.gantt, #plan .gantt')).length > 0);
  const before = await text('tr[data-platform=unit] [data-column=cycles]');
  await page.$eval('#editor', (editor) => { editor.open = true; });
  const file = await page.$eval('#file', (area) => area.value);
  assert.match(file, /^\s*add = 1/m);
  await set('#file', file.replace(/^(\s*)add = 1/m, '$1add = 3'));
  await page.waitForFunction((before) => {
    const cell = document.querySelector('tr[data-platform=unit] [data-column=cycles]');
    return cell.textContent !== before && cell.textContent !== '…';
  }, {}, before);
  assert.equal(await text('tr[data-platform=unit] [data-column=basis]'), 'changed by you');
  // A wrong file names the line and the remedy; what was built in comes back.
  await set('#file', file.replace(/^(\s*)add = 1/m, '$1add = "one"'));
  await says('#file-error', 'unit.toml:');
  assert.equal(await isShown('#file-error'), true);
  assert.match(await text('tr[data-platform=unit]'), /----unit\.toml:/);
  assert.equal(await page.$eval('#file', (area) => area.getAttribute('aria-invalid')), 'true');
  await set('#file', '= =');
  await says('#file-error', 'unit.toml:1:');
  await page.click('#restore');
  await page.waitForFunction(() => document.querySelector('#file-error').hidden);
  await page.waitForFunction(
    (before) =>
      document.querySelector('tr[data-platform=unit] [data-column=cycles]').textContent === before,
    {}, before);
  // A file that was changed, and left before its plan was made, gets its plan in the table.
  await set('#file', file.replace(/^(\s*)add = 1/m, '$1add = 4'));
  await page.click('tr[data-platform=rp2040] button');
  await page.waitForFunction((before) => {
    const cell = document.querySelector('tr[data-platform=unit] [data-column=cycles]');
    return cell.textContent !== before && cell.textContent !== '…';
  }, {}, before);
  await clean();
});

test('a question that nobody wants any more does not hold up the next', async () => {
  await says('#plan-title', 'SHA-256');
  await filled();
  const ended = await page.evaluate(async () => {
    const { ask } = await import('./ask.js');
    const [{ text }] = await ask('list', 'platforms', []);
    let count = 0;
    const { terminate } = Worker.prototype;
    Worker.prototype.terminate = function () { count++; terminate.call(this); };
    const long = ask('same', 'plan', ['sha256', 'long.toml', text, 29_000, true]);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const found = await ask('same', 'explain', ['md5', 'compression', 0]);
    return { count, long: await long, answer: found.answer };
  });
  assert.deepEqual([ended.count, ended.long], [1, null]);
  assert.match(ended.answer, /^md5: at most/);
  await clean();
});

test('hardware has its shapes', async () => {
  await says('#hardware-answer', 'sha256: a clock of');
  const one = await text('#hardware-answer');
  await set('#merge', '2');
  await says('#hardware-answer', '32 clocks per block');
  assert.notEqual(await text('#hardware-answer'), one);
  assert.equal(await page.$$eval('#hardware tbody tr', (rows) => rows.length), 12);
  await set('#merge', '7');
  await says('#hardware-error', 'cannot be merged 7 to a clock; possible are 1, 2, 4');
  for (const wrong of ['4294967297', '0', '1.5', '']) {
    await set('#merge', wrong);
    await says('#hardware-error', 'whole numbers from 1 to 1000');
    assert.equal(await page.$eval('#merge', (input) => input.getAttribute('aria-invalid')), 'true');
    assert.equal(await text('#hardware-answer'), '');
    await set('#merge', '1');
    await says('#hardware-answer', '64 clocks per block');
  }
  await set('#model', 'ecp5');
  await says('#hardware-answer', 'ns');
  assert.equal(await isShown('#hardware-error'), false);
  await clean();
});

test('HMAC is chosen as any primitive, and what it lacks is said', async () => {
  await says('#hardware-answer', 'sha256: a clock of');
  const groups = await page.$$eval('#primitive optgroup', (all) => all.map(
    ({ label, children }) => [label, [...children].map(({ value }) => value)]));
  const [[, hashes], [heading, keyed], [, ciphers]] = groups;
  assert.equal(heading, 'HMAC');
  assert.ok(hashes.length > 30 && ciphers.length === 1);
  assert.deepEqual(keyed, hashes.map((hash) => `hmac-${hash}`));
  await set('#primitive', 'hmac-sha256');
  // A block's graph is that of the hash, which a sentence says; it is no error.
  await says('#answer', 'hmac-sha256 has no compression of its own: it is sha256 twice');
  assert.match(await text('#answer'), /sha256: at most .* one compression is/);
  await says('#made-by', 'manylane explain sha256');
  assert.equal(await isShown('#explain-error'), false);
  assert.equal(await isShown('#warning'), false);
  await says('#hardware-answer', 'hmac-sha256 has no core of its own: one of sha256 computes both');
  assert.equal(await page.$$eval('#hardware tbody tr', (rows) => rows.length), 12);
  assert.equal(await isShown('#hardware-error'), false);
  // Both hashes have a graph and plans.
  await set('#part', 'message');
  await says('#answer', 'hmac-sha256: at most');
  assert.match(await text('#answer'), /a message of 64 bytes is [\d,]+ operations/);
  assert.match(await text('#graph'), /outer key block/);
  await says('#made-by', 'manylane explain hmac-sha256 --part message --length 64');
  await says('#plan-title', 'HMAC-SHA-256, a message of 64 bytes under a key of 32 bytes, on');
  await filled();
  const cycles = () => text('tr[data-platform=unit] [data-column=cycles]');
  const number = async () => Number((await cycles()).replaceAll(',', ''));
  const both = await number();
  await set('#primitive', 'sha256');
  await says('#plan-title', 'SHA-256, a message of 64 bytes, on');
  await filled();
  assert.ok(both > 1.5 * await number(), `${both} cycles`);
  await set('#length', '65536');
  await set('#primitive', 'hmac-sha512');
  await says('#explain-error', 'operations of hmac-sha512; at most 1000000');
  await set('#length', '3');
  await set('#primitive', 'hmac-md5');
  await says('#answer', 'hmac-md5: at most');
  assert.match(await text('#warning'), /HMAC-MD5 is not broken itself, but MD5 is \(collisions/);
  await set('#part', 'schedule');
  await says('#explain-error', 'md5 has no schedule step');
  await open('#primitive=hmac-blake256&part=message&length=3&on=rp2040');
  await says('#answer', 'hmac-blake256: at most');
  await says('#plan-title', 'HMAC-BLAKE-256, a message of 3 bytes under a key of 32 bytes, on');
  await clean();
});

test('errors speak of the fields of the page, and long texts are refused', async () => {
  const said = await page.evaluate(async () => {
    const { ask } = await import('./ask.js');
    const [{ text }] = (await ask('list', 'platforms', [])).filter(({ name }) => name === 'unit');
    const plan = (more) => ['plan', ['sha256', 'unit.toml', text + more, 64, true]];
    const questions = [
      ['explain', ['rc5-32/12/16', 'message', 3]],
      ['explain', ['keccak256', 'schedule', 3]],
      ['explain', ['hmac-sha512', 'message', 65536]],
      ['hardware', ['sha256', 'generic-gates', 7, 1]],
      ['hardware', ['sha256', 'generic-gate', 1, 1]],
      ['plan', ['sha256', 'unit.toml', '= =', 64, true]],
      plan('[totals.qqqqqqqq]\n64 = 1\n'),
      plan('[totals]\nsha256 = 3\n'),
      plan('#'.repeat(1 << 18)),
      plan(`[totals.${'q'.repeat(2e5)}]\n64 = 1\n`),
      plan(`[steps."*"]\n${'q'.repeat(2e5)} = 1\n`),
    ];
    const told = [];
    for (const [question, args] of questions) {
      told.push(
        await ask('fault', question, args).then(() => 'no error', (error) => error.message));
    }
    return told;
  });
  const words = [
    'rc5-32/12/16 is a block cipher, of which there are no messages: choose another Part',
    'choose another Part',
    'write fewer Bytes of the message',
    'cannot be merged 7 to a clock',
    'no delay model `generic-gate`: did you mean',
    'unit.toml:1: .*; what is built in shows the form$',
    'no primitive `q+` in `totals`; the list Primitive has all there are$',
    'integer instead of a table; what is built in shows the form$',
    'unit.toml:1: \\d+ bytes of text; shorten it',
    '`totals`; the list Primitive',
    'no step `q+…q+` in any primitive; known are',
  ];
  words.forEach((expected, i) => assert.match(said[i], new RegExp(expected)));
  for (const one of said) assert.doesNotMatch(one, /--|manylane \w|docs\/|path of/);
  assert.ok(said.every((one) => one.length < 1500), `${said.map(({ length }) => length)}`);
  await clean();
});

test('every primitive of the list is answered for', async () => {
  const failed = await page.evaluate(async () => {
    const { ask } = await import('./ask.js');
    const wrong = [];
    for (const { name } of await ask('list', 'primitives', [])) {
      const part = name.startsWith('rc5') ? 'compression' : 'message';
      try {
        const { answer } = await ask('each', 'explain', [name, part, 3]);
        if (!answer.startsWith(`${name}: at most`)) wrong.push(answer);
      } catch (error) {
        wrong.push(`${name}: ${error.message}`);
      }
    }
    return wrong;
  });
  assert.deepEqual(failed, []);
  await clean();
});

test('an address keeps the question', async () => {
  await open('#primitive=blake256&part=round&length=3&on=rp2040');
  await says('#answer', 'blake256: at most');
  await says('#plan-title', 'BLAKE-256, a message of 3 bytes');
  assert.equal(await page.$eval('#part', (part) => part.value), 'round');
  await set('#primitive', 'jh256');
  await page.waitForFunction(() => location.hash.includes('primitive=jh256'));
  await page.click('tr[data-platform=unit] button');
  await set('#merge', '2');
  const question = new URLSearchParams(await page.evaluate(() => location.hash.slice(1)));
  assert.deepEqual([question.get('merge'), question.get('on')], ['2', 'unit']);
  // An address that is changed by hand is answered.
  await page.evaluate(() => {
    location.hash = '#primitive=md5&part=round&length=9&on=rp2040&merge=4';
  });
  await says('#answer', 'md5: at most');
  await says('#plan-title', 'MD5, a message of 9 bytes, on Raspberry');
  assert.equal(await page.$eval('#merge', (input) => input.value), '4');
  // The link that skips to the answer has no question of its own, and a reload keeps the tab.
  await page.$eval('.skip', (link) => link.click());
  assert.equal(await page.evaluate(() => document.activeElement.id), 'content');
  assert.match(await page.evaluate(() => location.hash), /primitive=md5/);
  await page.click('#tab-files');
  await page.waitForSelector('#algorithm option');
  await set('#algorithm', 'sha512');
  await page.reload();
  await page.waitForFunction(() => document.querySelector('#algorithm').value === 'sha512');
  assert.equal(await isShown('#panel-files'), true);
  await open('#primitive=nonsense&part=nothing&length=-1&on=nowhere');
  await says('#answer', 'sha256: at most');
  await clean();
});

test('a keyboard is enough, and each control has a name', async () => {
  await says('#answer', 'sha256');
  await says('#hardware-answer', 'clock');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-explore');
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'tab-files');
  assert.equal(await isShown('#panel-files'), true);
  assert.equal(await isShown('#panel-explore'), false);
  await page.keyboard.press('Home');
  assert.equal(await isShown('#panel-explore'), true);
  const order = [];
  for (let i = 0; i < 60 && order.at(-1) !== 'stages'; i++) {
    await page.keyboard.press('Tab');
    order.push(await page.evaluate(() => document.activeElement.id));
  }
  const named =
    order.filter((id) => ['primitive', 'part', 'length', 'model', 'merge', 'stages'].includes(id));
  assert.deepEqual(named, ['primitive', 'part', 'length', 'model', 'merge', 'stages']);
  // Arrow keys move a drawing that is zoomed in, and not beyond its edges.
  const view = () =>
    page.$eval('#graph .zoom svg', (svg) => svg.getAttribute('viewBox').split(' ').map(Number));
  const whole = await view();
  await page.click('#graph [data-zoom="1.5"]');
  await page.focus('#graph [data-zoom="0"]');
  await page.keyboard.press('Tab');
  const before = await view();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowUp');
  const after = await view();
  assert.ok(after[0] > before[0] && after[1] < before[1], `${before} to ${after}`);
  for (let i = 0; i < 30; i++) await page.keyboard.press('ArrowRight');
  assert.ok((await view())[0] + after[2] <= whole[0] + whole[2] + 0.1);
  await page.focus('#primitive');
  await page.keyboard.type('MD5');
  await says('#answer', 'md5');
  // Names as a screen reader has them.
  const controls = await page.$$('button, input, select, textarea, [role=tab], summary');
  let checked = 0;
  for (const control of controls) {
    const name = await control.evaluate((element) => {
      const label = element.labels?.[0]?.textContent ?? '';
      return (element.getAttribute('aria-label') ?? '') + label +
        (element.matches('button, summary') ? element.textContent : '');
    });
    assert.ok(name.trim(), await control.evaluate((element) => element.outerHTML));
    checked++;
  }
  assert.ok(checked > 20);
  const headings = await page.$$eval('#panel-explore :is(h2, h3)',
    (all) => all.filter((one) => one.checkVisibility() && !one.textContent.trim()).length);
  assert.equal(headings, 0);
  await clean();
});

test('both colour schemes can be read', async () => {
  const grounds = [];
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    await says('#answer', 'sha256');
    const colours = await page.evaluate(() => {
      const rgb = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number);
      const ground = rgb(getComputedStyle(document.body).backgroundColor);
      const texts = ['body', '.lead', '#answer', 'th', '.quiet', 'select', 'footer'];
      return {
        ground,
        texts: texts.map((one) => [one, rgb(getComputedStyle(document.querySelector(one)).color)])
      };
    });
    const ground = luminance(colours.ground);
    grounds.push(ground);
    for (const [what, colour] of colours.texts) {
      const [low, high] = [ground, luminance(colour)].sort((a, b) => a - b);
      assert.ok((high + 0.05) / (low + 0.05) >= 4.5, `${scheme}: ${what} ${colour}`);
    }
  }
  assert.ok(grounds[0] > 0.8 && grounds[1] < 0.1, `${grounds}`);
  for (const width of [360, 320]) {
    await page.setViewport({ width, height: 700 });
    const overflows = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflows <= 0, `${overflows} pixels too wide for ${width}`);
  }
  await clean();
});

test('a module that does not come is an error that says what to do', async () => {
  await page.setRequestInterception(true);
  page.on('request',
    (request) => (request.url().endsWith('.packed') ? request.abort() : request.continue()));
  await page.goto(`${origin}#tab=files`);
  await page.reload();
  await says('#files-error', 'manylane.packed was not loaded');
  await says('#files-error', 'load the page again');
  await says('#explain-error', 'explorer.packed was not loaded');
});

test('what a page throws in onProgress ends the call', async () => {
  const said = await page.evaluate(async () => {
    const { hashFiles } = await import('./manylane/files.js');
    const onProgress = () => { throw new Error('mine'); };
    return hashFiles('md5', [new Blob(['a'])], { onProgress }).catch((error) => error.message);
  });
  assert.equal(said, 'mine');
  await clean();
});

test('the package gives a page the digests that Node gives', async () => {
  const found = await page.evaluate(async () => {
    const api = await import('./manylane/browser.js');
    const messages = Array.from({ length: 300 }, (_, n) => new Uint8Array(n).fill(n));
    return [...api.hashMany('sha256', messages)].map(api.toHex);
  });
  found.forEach((digest, n) => {
    assert.equal(digest, createHash('sha256').update(Buffer.alloc(n, n)).digest('hex'));
  });
  await clean();
});

test('a pool of workers gives them too', async () => {
  const files = await serve('node_modules/manylane');
  await page.goto(`${files.origin}README.md`);
  const found = await page.evaluate(async () => {
    const { Pool } = await import('./pool-browser.js');
    const pool = new Pool({ workers: 2 });
    const messages = Array.from({ length: 30_000 }, (_, n) => new Uint8Array(n % 300).fill(n));
    const digests = await pool.hashMany('sha256', messages);
    const refused = await pool.hashMany('md7', ['a']).catch((error) => error.message);
    await pool.close();
    return { digests: [...digests].slice(-300).map((bytes) => [...bytes]), refused };
  });
  files.close();
  assert.match(found.refused, /no hash `md7`/);
  found.digests.forEach((digest, i) => {
    const n = 29_700 + i;
    const bytes = createHash('sha256').update(Buffer.alloc(n % 300, n & 255)).digest();
    assert.deepEqual(Buffer.from(digest), bytes);
  });
});
