#compdef attune
# Completion of attune for zsh. Put this into ~/.zshrc:
#   source <(attune completion zsh)
_attune() {
  local line value
  local -a lines values program=("${words[1]}")
  local -i first=2
  if [[ ${words[1]} == npx ]]; then
    [[ ${words[2]} == attune ]] && (( CURRENT > 2 )) || { _default; return }
    program+=(--no attune) first=3
  fi
  lines=("${(@f)$("${program[@]}" __complete -- "${(@Q)words[first,CURRENT]}" 2>/dev/null)}")
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
  (( $+_comps[npx] )) || compdef _attune npx
fi
