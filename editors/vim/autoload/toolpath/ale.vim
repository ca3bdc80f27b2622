" toolpath-ls for ALE (https://github.com/dense-analysis/ale).

" The folder of the workspace: the repository that holds the file, or the file's own folder.
function! toolpath#ale#ProjectRoot(buffer) abort
  let l:git = ale#path#FindNearestDirectory(a:buffer, '.git')
  if empty(l:git) " a worktree
    let l:git = ale#path#FindNearestFile(a:buffer, '.git')
  endif
  let l:path = empty(l:git) ? fnamemodify(bufname(a:buffer), ':p') : substitute(l:git, '[/\\]$', '', '')
  return fnamemodify(l:path, ':h')
endfunction

" What the server calls the language of a buffer.
function! toolpath#ale#Language(buffer) abort
  return bufname(a:buffer) =~? '\.path\.jsonl$' ? 'toolpath-jsonl' : getbufvar(a:buffer, '&filetype')
endfunction

" Tells ALE of the server for files of a type.
function! toolpath#ale#Define(filetype) abort
  call ale#linter#Define(a:filetype, {
        \ 'name': 'toolpath',
        \ 'lsp': 'stdio',
        \ 'executable': {-> get(g:, 'toolpath_executable', 'toolpath-ls')},
        \ 'command': '%e serve --stdio',
        \ 'language': function('toolpath#ale#Language'),
        \ 'project_root': function('toolpath#ale#ProjectRoot'),
        \ 'initialization_options': {-> get(g:, 'toolpath_settings', {})},
        \ })
endfunction
