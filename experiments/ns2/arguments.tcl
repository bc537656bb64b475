# The arguments of the simulations, sourced first by each of their scripts: pairs of key and value on
# the command line, read into the array opt. Every key is required, and no other is taken: the values
# live in one place, the configuration.

proc stop {message} {
  global argv0
  puts stderr "[file tail $argv0]: $message"
  exit 2
}

if {[llength $argv] % 2} { stop "the arguments are pairs of key and value; got one alone" }
array set opt $argv

proc check_keys {keys} {
  global argv opt
  foreach {key value} $argv { ;# not the names in opt: ns-2 has some of its own there
    if {[lsearch -exact $keys $key] < 0} { stop "unknown key '$key'; the keys are: $keys" }
  }
  foreach key $keys { if {![info exists opt($key)]} { stop "missing key '$key'" } }
}

proc check_positive {keys} {
  global opt
  foreach key $keys {
    if {![string is double -strict $opt($key)] || $opt($key) <= 0} {
      stop "$key '$opt($key)': use a number above 0"
    }
  }
}

# The lists in these keys have one number a flow.
proc check_lists {keys flows} {
  global opt
  foreach key $keys {
    if {$flows == 0 || [llength $opt($key)] != $flows} { stop "$key '$opt($key)': use one number a flow" }
  }
}
