/** Requests to the service. */

import { parseJson } from "./text.js";
import { noteServerTime } from "./time.js";

/** A request that gave nothing; ``status`` is 0 when the service was not reached. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Gives the JSON of a response. Without a valid token the page itself is read again: it asks for one. */
export async function request(path, options = {}) {
  let response, text;
  try {
    response = await fetch(path, { ...options, headers: { Accept: "application/json", ...options.headers } });
    text = await response.text();
  } catch {
    throw new ApiError(0, "The service cannot be reached.");
  }
  if (response.status === 401) {
    location.reload();
    return new Promise(() => {}); // nothing goes on in a page that goes away
  }
  noteServerTime(response.headers.get("date"));
  const body = parsed(text);
  if (!response.ok) throw new ApiError(response.status, problemOf(response.status, body));
  if (body === null) throw new ApiError(response.status, "The service gave no JSON.");
  return body;
}

function parsed(text) {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

function problemOf(status, body) {
  const error = body?.error;
  return error ? `${error.message} (${status} ${error.code})` : `The service answered ${status}.`;
}

/** The summary of one run as the list has it, or null. Ids are in the order of time, so the run is the
 * first before the text that follows its id. */
export async function summaryOf(id) {
  const { runs } = await request(`/v1/runs?limit=1&before=${encodeURIComponent(`${id}0`)}`);
  return runs[0]?.id === id ? runs[0] : null;
}

/** Makes of an action one that runs once at a time, and at most every ``gap`` ms: what asks for it meanwhile
 * gets one more round together. */
export function coalesced(action, gap) {
  let isBusy = false;
  let isWanted = false;
  return async function trigger() {
    isWanted = true;
    if (isBusy) return;
    isBusy = true;
    while (isWanted) {
      isWanted = false;
      await action();
      await new Promise((resume) => setTimeout(resume, gap));
    }
    isBusy = false;
  };
}
