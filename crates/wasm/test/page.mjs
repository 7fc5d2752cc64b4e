// A page of the explorer in headless Chromium, and what tests ask of it.
// WEB_SITE is the folder of the page, CHROMIUM the browser.
import assert from 'node:assert/strict';
import { launch, serve } from './chromium.mjs';

export const site = process.env.WEB_SITE;
assert.ok(
  site && process.env.CHROMIUM, 'WEB_SITE and CHROMIUM are not set: run this by make test-web');

let server;
export let browser;
export let page;
export let origin;
let complaints;
let requests;

export async function begin() {
  server = await serve(site);
  origin = server.origin;
  browser = await launch();
}

export async function end() {
  await browser?.close();
  server?.close();
}

/** Opens the page anew, at an address. */
export async function open(hash = '') {
  await page?.close();
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  complaints = [];
  requests = [];
  page.on('console', (message) => {
    // What a browser recommends for forms is of a lower level.
    const isSaid = ['error', 'warn'].includes(message.type()) || message.text().startsWith('[DOM]');
    if (isSaid) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => requests.push(request.url()));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`${origin}${hash}`);
}

export const text = (selector) => page.$eval(selector, (element) => element.textContent);
export const says = (selector, words) => page.waitForFunction(
  (selector, words) => document.querySelector(selector).textContent.includes(words), {}, selector,
  words);
export const isShown = (selector) => page.$eval(selector, (element) => element.checkVisibility());
export const set = (selector, value) => page.$eval(selector, (element, value) => {
  element.value = value;
  element.dispatchEvent(
    new Event(element.tagName === 'TEXTAREA' ? 'input' : 'change', { bubbles: true }));
}, value);

/** Nothing was complained of, and nothing came from elsewhere. */
export async function clean() {
  assert.deepEqual(complaints, []);
  const foreign = requests.filter(
    (url) => ![origin, 'data:', `blob:${origin}`].some((own) => url.startsWith(own)));
  assert.deepEqual(foreign, []);
}

/** How bright a colour is, 0 to 1. */
export const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
