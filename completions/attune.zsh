#compdef attune
# Completion of attune for zsh. Put this into ~/.zshrc:
#   source <(attune completion zsh)
_attune() {
  local line value
  local -a lines values
  lines=("${(@f)$("${words[1]}" __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[2,-1]}"; do
    value=${${line%%$'\t'*}//:/\\:}
    [[ $line == *$'\t'* ]] && value+=":${line#*$'\t'}"
    values+=("$value")
  done
  case ${lines[1]} in
    files) _files ;;
    directories) _files -/ ;;
  esac
  (( $#values )) && _describe -V -t attune attune values
}
if [[ ${funcstack[1]} == _attune ]]; then
  _attune "$@"
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
  compdef _attune attune
fi
