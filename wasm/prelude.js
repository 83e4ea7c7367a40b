// Globals that ECMAScript lacks and models expect: text encoding, crypto, structuredClone. Evaluated
// once, at build time; `native` holds the functions of prelude_natives.c.
// A program may change any of these objects, and then only hurts itself: nothing that the host relies
// on (bindings, console, JSON, settlement) is written in JavaScript.
(function (native) {
  'use strict';

  const define = (name, value) => Object.defineProperty(globalThis, name, {
    value, writable: true, configurable: true, enumerable: false,
  });
  const tag = (cls, name) => Object.defineProperty(cls.prototype, Symbol.toStringTag, {
    value: name, configurable: true,
  });

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(text = '') { return native.encode(`${text}`); }
    encodeInto(text, target) {
      let read = 0, written = 0;
      for (const point of `${text}`) {
        const bytes = native.encode(point);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += point.length;
      }
      return { read, written };
    }
  }
  tag(TextEncoder, 'TextEncoder');

  class TextDecoder {
    #fatal; #ignoreBOM;
    constructor(label = 'utf-8', options = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(`${label}`))
        throw new RangeError(`TextDecoder knows utf-8 only, not ${label}`);
      this.#fatal = Boolean(options.fatal);
      this.#ignoreBOM = Boolean(options.ignoreBOM);
    }
    get encoding() { return 'utf-8'; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = new Uint8Array(0), options = {}) {
      if (options.stream) throw new TypeError('TextDecoder does not stream here: decode the whole');
      const bytes = ArrayBuffer.isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
      const text = native.decode(bytes, this.#fatal);
      if (text === undefined) throw new TypeError('TextDecoder: the bytes are not valid utf-8');
      return !this.#ignoreBOM && text.charCodeAt(0) === 0xFEFF ? text.slice(1) : text;
    }
  }
  tag(TextDecoder, 'TextDecoder');

  const hex = (byte) => (byte < 16 ? '0' : '') + byte.toString(16);
  const crypto = {
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || array instanceof DataView || /Float/.test(array[Symbol.toStringTag]))
        throw new TypeError('getRandomValues takes an integer typed array');
      if (array.byteLength > 65536) throw new RangeError('getRandomValues fills at most 65536 bytes');
      native.random(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = new Uint8Array(16);
      native.random(bytes);
      bytes[6] = (bytes[6] & 15) | 64;
      bytes[8] = (bytes[8] & 63) | 128;
      let text = '';
      for (let i = 0; i < 16; i++) text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex(bytes[i]);
      return text;
    },
  };
  Object.defineProperty(crypto, Symbol.toStringTag, { value: 'Crypto', configurable: true });

  const errors = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  function refuse(what) {
    throw new DOMException(`structuredClone cannot copy ${what}`, 'DataCloneError');
  }

  function cloneError(value, copy) {
    const Class = Object.hasOwn(errors, value.name) ? errors[value.name] : Error;
    const made = Object.create(Class.prototype);
    const error = Object.assign(new Class(value.message), {});
    Object.setPrototypeOf(error, Object.getPrototypeOf(made));
    if (Object.hasOwn(value, 'stack'))
      Object.defineProperty(error, 'stack', { value: `${value.stack}`, writable: true, configurable: true });
    if (Object.hasOwn(value, 'cause'))
      Object.defineProperty(error, 'cause', { value: copy(value.cause), writable: true, configurable: true });
    return error;
  }

  function structuredClone(value) {
    if (arguments.length === 0) throw new TypeError('structuredClone takes a value');
    const seen = new Map();
    const remember = (from, to) => { seen.set(from, to); return to; };
    const copy = (from) => {
      if (typeof from === 'function') refuse('a function');
      if (typeof from === 'symbol') refuse('a symbol');
      if (typeof from !== 'object' || from === null) return from;
      if (seen.has(from)) return seen.get(from);
      switch (native.kind(from)) {
        case 'array': {
          const to = remember(from, new Array(from.length));
          for (const key of Object.keys(from)) to[key] = copy(from[key]);
          return to;
        }
        case 'date': return remember(from, new Date(from.getTime()));
        case 'regexp': return remember(from, new RegExp(from.source, from.flags));
        case 'boxed': return remember(from, Object(from.valueOf()));
        case 'error': return remember(from, cloneError(from, copy));
        case 'map': {
          const to = remember(from, new Map());
          for (const [key, item] of [...from]) to.set(copy(key), copy(item));
          return to;
        }
        case 'set': {
          const to = remember(from, new Set());
          for (const item of [...from]) to.add(copy(item));
          return to;
        }
        case 'buffer': return remember(from, from.slice(0));
        case 'view': {
          const buffer = copy(from.buffer);
          const length = from instanceof DataView ? from.byteLength : from.length;
          return remember(from, new from.constructor(buffer, from.byteOffset, length));
        }
        case 'plain': {
          const to = remember(from, {});
          for (const key of Object.keys(from))
            Object.defineProperty(to, key, { value: copy(from[key]), writable: true, enumerable: true, configurable: true });
          return to;
        }
        default: return refuse(`a ${native.kind(from)}`);
      }
    };
    return copy(value);
  }

  // The standard lets an engine never call back. Ours never does: a callback would run the program's
  // code at a time that depends on memory, also after its result is known.
  class FinalizationRegistry {
    constructor(cleanup) {
      if (typeof cleanup !== 'function') throw new TypeError('FinalizationRegistry takes a function');
    }
    register() {}
    unregister() { return false; }
  }
  tag(FinalizationRegistry, 'FinalizationRegistry');

  define('FinalizationRegistry', FinalizationRegistry);
  define('TextEncoder', TextEncoder);
  define('TextDecoder', TextDecoder);
  define('crypto', crypto);
  define('structuredClone', structuredClone);

  // The class of a namespace's rejections. The host fills message, code and the binding's name in.
  return (name) => {
    const Class = { [name]: class extends Error {} }[name];
    Object.defineProperty(Class.prototype, 'name', { value: name, writable: true, configurable: true });
    return Class;
  };
})
