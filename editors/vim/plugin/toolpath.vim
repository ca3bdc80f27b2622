" Source files whose lines ALE can ask about: their types, such as ['python', 'go'].
if exists('g:loaded_toolpath')
  finish
endif
let g:loaded_toolpath = 1

augroup toolpath
  autocmd!
  autocmd FileType * call s:Define(expand('<amatch>'))
augroup END

let s:defined = {}

function! s:Define(filetype) abort
  if !has_key(s:defined, a:filetype) && index(get(g:, 'toolpath_filetypes', []), a:filetype) >= 0
    let s:defined[a:filetype] = 1
    call toolpath#ale#Define(a:filetype)
  endif
endfunction
