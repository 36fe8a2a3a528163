. lib/greet.sh
[ "$(greet Aurora)" = 'Welcome, Aurora' ]
