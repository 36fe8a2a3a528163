# greet <name>: one line for a ship that comes in.
greet() {
  printf 'Welcome, %s\n' "$1"
}
