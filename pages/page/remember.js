const PLACE = "attention-progress"
const seen = new WeakMap()

function kept() {
  try { return sessionStorage.getItem(PLACE) } catch { return null /* a browser may forbid it */ }
}

export default function ({ data, parentElement, setStateValue }) {
  const before = kept(), own = seen.get(parentElement) ?? {}
  seen.set(parentElement, own)
  if (data.empty && before && own.sent !== before) {  // a new session, after a reload: tell it once what was here
    own.sent = before
    setStateValue("kept", before)
    return
  }
  try {
    if (data.empty) sessionStorage.removeItem(PLACE)
    else sessionStorage.setItem(PLACE, data.state)
  } catch { /* then a reload forgets */ }
}
