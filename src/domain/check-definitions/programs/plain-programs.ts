/** Programs that read nothing but what their command names: what they judge is theirs to judge. Also those that only install. */
export const plain: ReadonlySet<string> = new Set(
  `: [ [[ alias b2sum base64 basename bg break bzip2 cat cd chmod chown cksum clear cmp column comm continue cp csplit curl cut
  date dd declare df diff dirname du echo ed egrep eval exec exit expand export expr false fg fgrep file find fmt fold
  getconf getopts git grep gunzip gzip hash head help hostname iconv id install jobs join jq kill less let ln local locale ls
  md5sum mkdir mkfifo mktemp more mv nice nl nohup nproc od paste patch pgrep pkill popd printenv printf ps pushd pwd read
  readlink readonly realpath return rev rm rmdir rsync sed select seq set sha1sum sha256sum sha512sum shift shopt shuf sleep
  sort split ssh stat stdbuf strings sum sync tac tail tar tee test timeout touch tr trap true truncate tty type typeset ulimit
  umask uname unalias uniq unset unzip unxz uuidgen wait watch wc wget which whoami who xargs xmllint xxd xz yes yq zcat zip
  apk apt apt-get brew corepack ensurepip gem rustup venv virtualenv
  if then else elif fi for while until do done case esac in function time { } ! tidegate`.split(/\s+/),
);
