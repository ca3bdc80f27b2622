" Tests of Vim with ALE, in the demo workspace, where Vim was started. Each function Test_… is one; a
" line for each is written to $TOOLPATH_RESULTS: its name and what went wrong, if anything did.

" Waits until an expression is true.
function! s:wait(expression) abort
  for l:i in range(1500)
    if eval(a:expression)
      return
    endif
    sleep 20m
  endfor
  throw 'never became true: ' . a:expression
endfunction

function! s:edit(file) abort
  execute 'edit!' a:file
  ALELint
endfunction

function! s:messages() abort
  return map(copy(ale#engine#GetLoclist(bufnr(''))), 'v:val.lnum . ":" . v:val.col . " " . v:val.text')
endfunction

function! Messages(pattern) abort
  return match(s:messages(), a:pattern) >= 0
endfunction

" Problems are at their place, and go when they are mended.
function! Test_diagnostics() abort
  call s:edit('slug.path.json')
  call assert_equal('json', b:current_syntax)
  call s:wait('Messages("^53:15 .*the parent .step2. names no step of this path")')
  %s/"step2"/"step-2"/
  ALELint
  call s:wait('!Messages("names no step of this path")')
endfunction

" Problems of streams too.
function! Test_streams() abort
  call writefile(['{"path": 1'], 'a.path.jsonl')
  call s:edit('a.path.jsonl')
  call assert_equal('toolpath', &filetype)
  call s:wait('Messages("^1:")')
endfunction

" ALE shows what a hover says in the preview window.
function! Hover(pattern) abort
  for l:window in range(1, winnr('$'))
    if getwinvar(l:window, '&previewwindow') && match(getbufline(winbufnr(l:window), 1, '$'), a:pattern) >= 0
      return 1
    endif
  endfor
  return 0
endfunction

" Hover on a parent tells who made that step and why.
function! Test_hover() abort
  call s:edit('slug.path.json')
  call s:wait('Messages("names no step")')
  call search('"parents": \[\_s*"step-3"', 'e')
  normal! h
  ALEHover
  call s:wait('Hover("codex")')
  pclose
endfunction

" The definition of a parent is its step.
function! Test_definition() abort
  call s:edit('slug.path.json')
  call s:wait('Messages("names no step")')
  call search('"parents": \[\_s*"step-3"', 'e')
  normal! h
  ALEGoToDefinition
  call s:wait('getline(".") =~# "\"id\": \"step-3\""')
endfunction

" Hover on a line of source tells who wrote it.
function! Test_source_hover() abort
  call s:edit('src/slug.py')
  call s:wait('!empty(filter(copy(ale#lsp_linter#GetLSPLinterMap()), "1"))')
  call cursor(11, 5)
  ALEHover
  call s:wait('Hover("codex")')
  pclose
endfunction

" A JSON file that is no document is left alone.
function! Test_other_json() abort
  call writefile(['{"a": 1'], 'other.json')
  call s:edit('other.json')
  call assert_equal('json', &filetype)
  call assert_equal([], filter(ale#linter#Get(&filetype), 'v:val.name ==# "toolpath"'))
endfunction

let s:results = []
for s:test in sort(map(split(execute('function /^Test_'), "\n"), 'matchstr(v:val, "Test_\\w\\+")'))
  let v:errors = []
  try
    call call(s:test, [])
  catch
    call add(v:errors, v:exception . ' at ' . v:throwpoint . '; messages: ' . string(s:messages()))
  endtry
  call add(s:results, s:test . "\t" . substitute(join(v:errors, '; '), "\n", ' ', 'g'))
  silent! only!
endfor
call writefile(s:results, $TOOLPATH_RESULTS)
qall!
