// URL and URLSearchParams after the WHATWG standard, without its tables: hosts are ASCII or IP
// addresses (no punycode: docs/limitations.md).
(function () {
  'use strict';

  const SPECIAL = { 'http:': '80', 'https:': '443', 'ws:': '80', 'wss:': '443', 'ftp:': '21', 'file:': '' };
  const isSpecial = (scheme) => Object.hasOwn(SPECIAL, scheme);
  const fail = (text) => { throw new TypeError(`Invalid URL: ${text}`); };
  const byte = (code) => '%' + (code < 16 ? '0' : '') + code.toString(16).toUpperCase();
  const encoder = new TextEncoder();

  // Percent-encodes what `keep` does not match; code points outside ASCII always.
  const encode = (text, unsafe) => {
    let out = '';
    for (const point of text) {
      if (point.codePointAt(0) > 0x7E || point < ' ' || unsafe.includes(point))
        for (const code of encoder.encode(point)) out += byte(code);
      else out += point;
    }
    return out;
  };
  const FRAGMENT = ' "<>`';
  const QUERY = ' "#<>';
  const PATH = ' "#<>?`{}^';
  const USER = PATH + '/:;=@[\\]|';

  const decode = (text) => {
    if (!text.includes('%')) return text;
    const bytes = encoder.encode(text);
    const out = [];
    for (let i = 0; i < bytes.length; i++) {
      const pair = bytes[i] === 37 ? String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0) : '';
      if (/^[0-9a-f]{2}$/i.test(pair)) { out.push(parseInt(pair, 16)); i += 2; } else out.push(bytes[i]);
    }
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(out));
  };

  function ipv4(host) {
    const parts = host.split('.');
    if (parts.at(-1) === '' && parts.length > 1) parts.pop();
    const last = parts.at(-1);
    if (!/^(\d+|0x[0-9a-f]*)$/i.test(last)) return null;
    if (parts.length > 4) fail(host);
    const numbers = parts.map((part) => {
      if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : parseInt(part, 16);
      if (/^0[0-7]+$/.test(part)) return parseInt(part, 8);
      return /^\d+$/.test(part) ? Number(part) : fail(host);
    });
    if (numbers.slice(0, -1).some((number) => number > 255)) fail(host);
    if (numbers.at(-1) >= 256 ** (5 - numbers.length)) fail(host);
    let value = numbers.at(-1);
    numbers.slice(0, -1).forEach((number, index) => { value += number * 256 ** (3 - index); });
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  }

  function ipv6(text) {
    const halves = text.split('::');
    if (halves.length > 2) fail(text);
    const groups = (half) => {
      if (half === '') return [];
      const out = [];
      half.split(':').forEach((group, index, all) => {
        if (index === all.length - 1 && group.includes('.')) {
          if (!/^\d{1,3}(\.\d{1,3}){3}$/.test(group)) fail(text);
          const [a, b, c, d] = group.split('.').map(Number);
          if (Math.max(a, b, c, d) > 255) fail(text);
          out.push(a * 256 + b, c * 256 + d);
        } else if (/^[0-9a-f]{1,4}$/i.test(group)) out.push(parseInt(group, 16));
        else fail(text);
      });
      return out;
    };
    const head = groups(halves[0]);
    const tail = halves.length === 2 ? groups(halves[1]) : [];
    const missing = 8 - head.length - tail.length;
    if (halves.length === 2 ? missing < 1 : missing !== 0) fail(text);
    const all = [...head, ...new Array(missing).fill(0), ...tail];
    let best = { at: -1, length: 1 };
    for (let i = 0; i < 8; i++) {
      let length = 0;
      while (i + length < 8 && all[i + length] === 0) length++;
      if (length > best.length) best = { at: i, length };
    }
    const hex = (part) => part.map((group) => group.toString(16)).join(':');
    return best.at < 0 ? hex(all) : `${hex(all.slice(0, best.at))}::${hex(all.slice(best.at + best.length))}`;
  }

  function parseHost(text, special) {
    if (text.startsWith('[')) {
      if (!text.endsWith(']')) fail(text);
      return `[${ipv6(text.slice(1, -1))}]`;
    }
    if (!special) {
      if (/[\0\t\n\r #/:<>?@[\\\]^|]/.test(text)) fail(text);
      return encode(text, '');
    }
    const host = decode(text).toLowerCase();
    if (host === '' || /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/.test(host)) fail(text);
    if (/[^\0-\x7f]/.test(host)) fail(`${text} (hosts outside ASCII are not supported here: use the xn-- form)`);
    return ipv4(host) ?? host;
  }

  function parsePath(text, base, scheme) {
    const special = isSpecial(scheme);
    const segments = base.slice();
    const parts = text.split(special ? /[/\\]/ : '/');
    parts.forEach((part, index) => {
      const last = index === parts.length - 1;
      const dots = part.replace(/%2e/gi, '.');
      if (dots === '..') {
        if (!(scheme === 'file:' && segments.length === 1 && /^[a-z]:$/i.test(segments[0]))) segments.pop();
        if (last) segments.push('');
      } else if (dots === '.') {
        if (last) segments.push('');
      } else {
        let segment = encode(part, PATH);
        if (scheme === 'file:' && segments.length === 0 && /^[a-z][:|]$/i.test(segment)) segment = segment[0] + ':';
        segments.push(segment);
      }
    });
    return segments;
  }

  function parse(input, base) {
    let text = input.replace(/^[\0- ]+|[\0- ]+$/g, '').replace(/[\t\n\r]/g, '');
    const url = { scheme: '', username: '', password: '', host: null, port: '', path: [], opaque: null, query: null, fragment: null };
    const hash = text.indexOf('#');
    if (hash >= 0) { url.fragment = encode(text.slice(hash + 1), FRAGMENT); text = text.slice(0, hash); }
    const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(text)?.[0].toLowerCase();
    const query = () => {
      const mark = text.indexOf('?');
      if (mark < 0) return;
      url.query = encode(text.slice(mark + 1), isSpecial(url.scheme) ? QUERY + "'" : QUERY);
      text = text.slice(0, mark);
    };
    const authority = () => {
      const end = text.search(isSpecial(url.scheme) ? /[/\\]/ : /\//);
      let part = end < 0 ? text : text.slice(0, end);
      text = end < 0 ? '' : text.slice(end);
      const at = part.lastIndexOf('@');
      if (at >= 0) {
        const [user, ...rest] = part.slice(0, at).split(':');
        url.username = encode(user, USER);
        url.password = encode(rest.join(':'), USER);
        part = part.slice(at + 1);
      }
      const port = /:(\d*)$/.exec(part);
      if (port) {
        part = part.slice(0, port.index);
        if (port[1] !== '') {
          if (Number(port[1]) > 65535) fail(input);
          url.port = String(Number(port[1]));
          if (url.port === SPECIAL[url.scheme]) url.port = '';
        }
      }
      if (url.scheme === 'file:') { url.host = part === '' || part === 'localhost' ? '' : parseHost(part, true); return; }
      if (part === '' && (isSpecial(url.scheme) || at >= 0 || port)) fail(input);
      url.host = part === '' ? '' : parseHost(part, isSpecial(url.scheme));
    };
    const slash = (at) => text[at] === '/' || (isSpecial(url.scheme) && text[at] === '\\');

    if (scheme && !(isSpecial(scheme) && base && base.scheme === scheme && !/^[/\\]/.test(text.slice(scheme.length)))) {
      url.scheme = scheme;
      text = text.slice(scheme.length);
      query();
      if (isSpecial(scheme) && scheme !== 'file:') {
        text = text.replace(/^[/\\]*/, '');
        authority();
      } else if (slash(0) && slash(1)) {
        text = text.slice(2);
        authority();
      } else if (scheme === 'file:') {
        url.host = '';
      } else if (!slash(0)) {
        url.opaque = encode(text, '');
        return url;
      }
      if (text !== '' || isSpecial(scheme)) url.path = parsePath(text.replace(isSpecial(scheme) ? /^[/\\]/ : /^\//, ''), [], scheme);
      return url;
    }
    if (!base) fail(input);
    if (scheme) text = text.slice(scheme.length);
    url.scheme = base.scheme;
    if (base.opaque !== null) {
      if (text !== '' || hash < 0) fail(input);
      return { ...base, fragment: url.fragment };
    }
    query();
    if (slash(0) && slash(1)) {
      text = text.slice(2);
      authority();
      url.path = text === '' && !isSpecial(url.scheme) ? [] : parsePath(text.slice(1), [], url.scheme);
      return url;
    }
    Object.assign(url, { username: base.username, password: base.password, host: base.host, port: base.port });
    if (slash(0)) url.path = parsePath(text.slice(1), [], url.scheme);
    else if (text === '') { url.path = base.path; if (url.query === null) url.query = base.query; }
    else url.path = parsePath(text, base.path.slice(0, -1), url.scheme);
    return url;
  }

  const pathname = (url) => url.opaque ?? (url.path.length ? '/' + url.path.join('/') : '');
  function serialize(url) {
    let text = url.scheme;
    if (url.host !== null) {
      text += '//';
      if (url.username || url.password) text += url.username + (url.password ? ':' + url.password : '') + '@';
      text += url.host + (url.port ? ':' + url.port : '');
    } else if (url.opaque === null && url.path.length > 1 && url.path[0] === '') text += '/.';
    return text + pathname(url) + (url.query !== null ? '?' + url.query : '') + (url.fragment !== null ? '#' + url.fragment : '');
  }

  const formEncode = (text) => {
    let out = '';
    for (const code of encoder.encode(text.toWellFormed())) {
      const char = String.fromCharCode(code);
      out += /[A-Za-z0-9*\-._]/.test(char) ? char : code === 32 ? '+' : byte(code);
    }
    return out;
  };
  const formDecode = (text) => decode(text.replaceAll('+', ' '));

  class URLSearchParams {
    #pairs = [];
    #changed = null;
    constructor(init = '') {
      if (typeof init === 'object' && init !== null) {
        if (typeof init[Symbol.iterator] === 'function') {
          for (const pair of init) {
            const [key, value, ...rest] = pair;
            if (rest.length || [...pair].length !== 2) throw new TypeError('URLSearchParams takes pairs of two');
            this.#pairs.push([`${key}`, `${value}`]);
          }
        } else for (const key of Object.keys(init)) this.#pairs.push([key, `${init[key]}`]);
      } else this.#read(`${init}`.replace(/^\?/, ''));
    }
    static attach(params, query, changed) { params.#pairs = []; params.#read(query); params.#changed = changed; }
    #read(text) {
      for (const part of text.split('&')) {
        if (part === '') continue;
        const at = part.indexOf('=');
        this.#pairs.push(at < 0 ? [formDecode(part), ''] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))]);
      }
    }
    #update() { this.#changed?.(this.toString()); }
    get size() { return this.#pairs.length; }
    append(key, value) { this.#pairs.push([`${key}`, `${value}`]); this.#update(); }
    delete(key, value) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== `${key}` || (value !== undefined && pair[1] !== `${value}`));
      this.#update();
    }
    get(key) { return this.#pairs.find((pair) => pair[0] === `${key}`)?.[1] ?? null; }
    getAll(key) { return this.#pairs.filter((pair) => pair[0] === `${key}`).map((pair) => pair[1]); }
    has(key, value) { return this.#pairs.some((pair) => pair[0] === `${key}` && (value === undefined || pair[1] === `${value}`)); }
    set(key, value) {
      const at = this.#pairs.findIndex((pair) => pair[0] === `${key}`);
      if (at < 0) this.#pairs.push([`${key}`, `${value}`]);
      else {
        this.#pairs[at][1] = `${value}`;
        this.#pairs = this.#pairs.filter((pair, index) => index <= at || pair[0] !== `${key}`);
      }
      this.#update();
    }
    sort() { this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)); this.#update(); }
    forEach(callback, self) { for (const [key, value] of this.#pairs) callback.call(self, value, key, this); }
    * entries() { for (const pair of this.#pairs) yield [...pair]; }
    * keys() { for (const pair of this.#pairs) yield pair[0]; }
    * values() { for (const pair of this.#pairs) yield pair[1]; }
    [Symbol.iterator]() { return this.entries(); }
    toString() { return this.#pairs.map((pair) => `${formEncode(pair[0])}=${formEncode(pair[1])}`).join('&'); }
  }
  const attach = URLSearchParams.attach;
  delete URLSearchParams.attach;

  class URL {
    #url; #params;
    constructor(input, base) {
      this.#url = parse(`${input}`, base === undefined ? null : parse(`${base}`, null));
      this.#params = new URLSearchParams();
      this.#sync();
    }
    static canParse(input, base) { try { return Boolean(new URL(input, base)); } catch { return false; } }
    static parse(input, base) { try { return new URL(input, base); } catch { return null; } }
    #sync() {
      attach(this.#params, this.#url.query ?? '', (text) => { this.#url.query = text === '' ? null : text; });
    }
    // A setter parses the whole text that would result and ignores what does not parse.
    #replace(text) { try { this.#url = parse(text, null); this.#sync(); } catch { /* as the standard: no change */ } }
    #with(changes) { this.#url = { ...this.#url, ...changes }; this.#replace(serialize(this.#url)); }
    get href() { return serialize(this.#url); }
    set href(text) { this.#url = parse(`${text}`, null); this.#sync(); }
    get origin() {
      const { scheme } = this.#url;
      return isSpecial(scheme) && scheme !== 'file:' ? `${scheme}//${this.host}` : 'null';
    }
    get protocol() { return this.#url.scheme; }
    set protocol(text) {
      const scheme = /^[a-z][a-z0-9+.-]*/i.exec(`${text}`)?.[0].toLowerCase();
      if (scheme && isSpecial(scheme + ':') === isSpecial(this.#url.scheme)) this.#with({ scheme: scheme + ':' });
    }
    get username() { return this.#url.username; }
    set username(text) { if (this.#url.host) this.#url.username = encode(`${text}`, USER); }
    get password() { return this.#url.password; }
    set password(text) { if (this.#url.host) this.#url.password = encode(`${text}`, USER); }
    get host() { return (this.#url.host ?? '') + (this.#url.port ? ':' + this.#url.port : ''); }
    set host(text) {
      if (this.#url.opaque !== null) return;
      const { hostname, port } = /^(?<hostname>\[[^\]]*\]|[^:/?#\\]*)(?::(?<port>\d+))?/.exec(`${text}`).groups;
      this.hostname = hostname;
      if (port !== undefined) this.port = port;
    }
    get hostname() { return this.#url.host ?? ''; }
    set hostname(text) {
      if (this.#url.opaque !== null) return;
      try { this.#url.host = parseHost(`${text}`, isSpecial(this.#url.scheme)); } catch { /* no change */ }
    }
    get port() { return this.#url.port; }
    set port(text) {
      if (!this.#url.host || this.#url.scheme === 'file:') return;
      const digits = /^\d*/.exec(`${text}`)[0];
      if (`${text}` !== '' && (digits === '' || Number(digits) > 65535)) return;
      this.#url.port = digits === '' || String(Number(digits)) === SPECIAL[this.#url.scheme] ? '' : String(Number(digits));
    }
    get pathname() { return pathname(this.#url); }
    set pathname(text) {
      if (this.#url.opaque !== null) return;
      this.#url.path = parsePath(`${text}`.replace(isSpecial(this.#url.scheme) ? /^[/\\]/ : /^\//, ''), [], this.#url.scheme);
    }
    get search() { return this.#url.query ? '?' + this.#url.query : ''; }
    set search(text) {
      const query = `${text}`.replace(/^\?/, '');
      this.#url.query = query === '' ? null : encode(query, isSpecial(this.#url.scheme) ? QUERY + "'" : QUERY);
      this.#sync();
    }
    get searchParams() { return this.#params; }
    get hash() { return this.#url.fragment ? '#' + this.#url.fragment : ''; }
    set hash(text) {
      const fragment = `${text}`.replace(/^#/, '');
      this.#url.fragment = fragment === '' ? null : encode(fragment, FRAGMENT);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
  }

  for (const [name, value] of [['URL', URL], ['URLSearchParams', URLSearchParams]]) {
    Object.defineProperty(value.prototype, Symbol.toStringTag, { value: name, configurable: true });
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
  }
})
