// What was asked and answered on the pages before, kept by the browser until its tab is closed: so that a
// conversation goes on from page to page of a site, without a cookie.

const most = 6; // turns

// keeper keeps turns, {question, events}, under a name; without one it keeps nothing.
export function keeper(name) {
  const key = `frontdesk-ask ${name}`;
  return {
    kept() {
      try { return (name && JSON.parse(sessionStorage.getItem(key))) || []; } catch { return []; }
    },
    keep(turns) {
      try { if (name) sessionStorage.setItem(key, JSON.stringify(turns.slice(-most))); } catch { /* too much is not kept */ }
    },
  };
}
