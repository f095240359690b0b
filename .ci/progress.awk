# Makes a line or two of the long output of pip: what is fetched, and how much of the core is compiled.
function show(text) {
  if (mark == "") { print text; fflush(); return }
  printf "%s%-78s", mark, substr(text, 1, 78); fflush(); shown = 1
}
/^ *(Collecting|Building editable|Building wheel|Installing collected)/ { sub(/^ */, ""); sub(/ \(from .*/, ""); if (mark != "" || /^(Building|Installing)/) show(substr($0, 1, 60)) }
match($0, /\[[0-9]+\/[0-9]+\]/) {
  split(substr($0, RSTART + 1, RLENGTH - 2), part, "/")
  if (mark != "" || part[1] % 20 == 0 || part[1] == part[2]) show("compiling the core: " part[1] " of " part[2] " steps")
}
/^exit code / { code = $3 }
END { if (shown) print ""; exit code != 0 }
