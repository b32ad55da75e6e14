// What was asked and answered on the pages before, kept by the browser until its tab is closed: so that a
// conversation goes on from page to page of a site, without a cookie.

const most = 6, longest = 200_000; // turns, and characters of them

// keeper keeps turns, {question, events}, under a name; without one it keeps nothing.
export function keeper(name) {
  const key = `frontdesk-ask ${name}`;
  return {
    kept() {
      try { return (name && JSON.parse(sessionStorage.getItem(key))) || []; } catch { return []; }
    },
    keep(turns) {
      if (!name) return;
      let text = JSON.stringify(turns.slice(-most));
      if (text.length > longest) text = JSON.stringify(turns.slice(-1));
      try { sessionStorage.setItem(key, text.length > longest ? "[]" : text); } catch { /* it is not kept */ }
    },
  };
}
