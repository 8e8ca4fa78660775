// The guides and the reference are open at the first visit; TypeDoc keeps what the reader opens and closes after that.
for (const key of ['tsd-accordion-Guides', 'tsd-accordion-Reference']) {
  if (localStorage.getItem(key) === null) localStorage.setItem(key, 'true');
}
