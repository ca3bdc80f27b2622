-- Settings, the status line, help, and surroundings in which there is nothing to tell: a message then,
-- and never an error.

local source, document = 'src/slug.py', 'slug.path.json'

-- All that can be asked for, each of which takes the state of the buffer as it is.
local commands = {
  'parent', 'child', 'head', 'steps', 'blame', 'blame line', 'graph', 'diff', 'unreviewed', 'unreviewed file', 'line-history',
  'line-history list', 'at-step', 'at-step step-1', 'previous', 'next', 'deleted', 'pick', 'pick actors', 'pick workspace', 'pick documents',
}

-- Runs every command and expects each to say something in one line.
local function expect_messages(editor, text)
  for _, command in ipairs(commands) do
    editor:command('messages clear')
    editor:type(':Toolpath ' .. command .. '<CR>')
    editor:wait('a message of ' .. command, function()
      local messages = editor:messages()
      return messages:find('toolpath: ', 1, true) and (not text or messages:find(text, 1, true))
    end)
    editor:expect_no_errors()
  end
end

local function kill_servers(editor)
  editor:lua([[
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
      vim.loop.kill(pid, 'sigkill')
    end
  ]])
end

return {
  {
    'commands in a buffer without a name say that it has no server',
    function(start)
      local editor = start({})
      expect_messages(editor, 'no server')
    end,
  },
  {
    'commands without setup() say that there is no server',
    function(start)
      local editor = start(nil)
      editor:open(source)
      expect_messages(editor, 'the server is not there yet, or has ended')
    end,
  },
  {
    'commands after the server has ended for good say so',
    function(start)
      local editor = start({})
      editor:open(source)
      for _ = 1, 6 do
        editor:wait_attached()
        local before = editor:lua([[return require('toolpath.client').of(0).id]])
        kill_servers(editor)
        editor:wait('the end of the server', function()
          return editor:lua([[
            local client = require('toolpath.client').of(vim.api.nvim_get_current_buf())
            return not client or client.id ~= ...
          ]], before)
        end)
      end
      editor:wait_message('the server ended too often')
      expect_messages(editor, 'server')
    end,
  },
  {
    'windows that are open when the server ends go on, and tell of it when it is back',
    function(start)
      local editor = start({ blame = { debounce = 1 } })
      editor:open(source)
      editor:wait_attached()
      editor:type(':Toolpath blame<CR>')
      editor:wait_row('step-3', 'import unicodedata')
      kill_servers(editor)
      editor:type('<C-w>lO# A remark.<Esc>')
      editor:wait('the edit to be told', function()
        local row = editor:row_with('# A remark.')
        return row and (row:find('+changed', 1, true) or row:find('*unsaved', 1, true))
      end)
      editor:wait_row('step-3', 'import unicodedata')
      editor:expect_no_errors()
    end,
  },
  {
    'a file as of a step goes on with the server that is started again',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_attached()
      local first = editor:lua([[return require('toolpath.client').of(0).id]])
      editor:go_to('words = NOT_IN_A_WORD')
      editor:type(':Toolpath previous<CR>')
      editor:wait('the file as of the step', function()
        return (editor:lua([[return vim.b.toolpath_title]]) or ''):find('as of step-3', 1, true)
      end)
      kill_servers(editor)
      editor:wait('another server', function()
        local id = editor:lua([[return (require('toolpath.client').of(0) or {}).id]])
        return id and id ~= first
      end)
      editor:type('<lt>')
      editor:wait_line('words = NOT_IN_A_WORD.sub("", title)')
    end,
  },
  {
    'a command that is not there, or has a word too many, is told with those that are',
    function(start)
      local editor = start({})
      for line, text in pairs({
        ['Toolpath'] = 'give one of at-step, blame, child',
        ['Toolpath blam'] = 'no command "blam"; there are at-step, blame',
        ['Toolpath blame often'] = 'blame knows line, all, off, not "often"',
        ['Toolpath graph x'] = 'graph takes no argument',
        ['Toolpath pick x'] = 'pick knows steps, actors, workspace, documents, not "x"',
      }) do
        editor:type(':' .. line .. '<CR>')
        editor:wait_message(text)
      end
    end,
  },
  {
    'commands and their words are completed',
    function(start)
      local editor = start({})
      local function completed(line)
        return editor:lua([[return vim.fn.getcompletion(..., 'cmdline')]], line)
      end
      assert(#completed('Toolpath ') == 14, vim.inspect(completed('Toolpath ')))
      for line, want in pairs({
        ['Toolpath bl'] = { 'blame' },
        ['Toolpath blame '] = { 'line', 'all', 'off' },
        ['Toolpath unreviewed '] = { 'file' },
        ['Toolpath pick a'] = { 'actors' },
        ['Toolpath at-step '] = {},
        ['Toolpath head '] = {},
        ['Toolpath blame line '] = {},
      }) do
        assert(vim.deep_equal(completed(line), want), line .. vim.inspect(completed(line)))
      end
    end,
  },
  {
    'options that are not right are told, each in a line, and the others count',
    function(start)
      local editor = start({ cmd = 'toolpath-ls', blame = { show = 'sometimes', width = 20, debounce = -1 }, blamed = true, window = 3 })
      local messages = editor:wait_message('setup(): ')
      for _, text in ipairs({
        [[setup(): blame.show must be 'off', 'line' or 'all', not "sometimes"]],
        'setup(): blame.debounce must be a number of milliseconds, not -1',
        [[setup(): cmd must be a list of strings, such as { 'toolpath-ls', 'serve', '--stdio' }, not "toolpath-ls"]],
        'setup(): there is no option "blamed"; there are blame, capabilities, cmd, code_lens, on_attach, settings, window',
        'setup(): window must be a table, not 3',
      }) do
        assert(messages:find(text, 1, true), messages)
      end
      editor:open(source)
      editor:wait_attached()
      editor:type(':Toolpath blame line<CR>')
      editor:wait_row('base: older than th…')
      editor:expect_no_errors()
    end,
  },
  {
    'the status line sums the file up, follows unsaved edits, and asks nothing while the text stays',
    function(start)
      local editor = start({ blame = { debounce = 1 } })
      editor:command([[set laststatus=2 statusline=%t\ [%{v:lua.require'toolpath'.statusline()}] ]])
      editor:open(source)
      editor:wait_row('slug.py [codex 33 %')
      local asked = editor:lua([[
        local client = require('toolpath.client')
        local request = client.request
        asked = 0
        client.request = function(...)
          asked = asked + 1
          return request(...)
        end
        for _ = 1, 20 do
          vim.cmd('redrawstatus!')
        end
        return asked
      ]])
      assert(asked == 0, asked)
      editor:type('ggdG')
      editor:wait('nothing of codex in the status line', function()
        return not editor:row_with('codex')
      end)
      editor:type('u')
      editor:wait_row('slug.py [codex 33 %')
      editor:open(document)
      editor:wait_row('slug.path.json []')
      editor:command('enew')
      editor:wait_row('[No Name] []')
      editor:expect_no_errors()
    end,
  },
  {
    'the status line can be had for where it is read as one again, and for another buffer',
    function(start)
      local editor = start({})
      editor:open(source)
      editor:wait_attached()
      editor:wait('the summary', function()
        return editor:lua([[return require('toolpath').statusline()]]) ~= ''
      end)
      editor:command([[set laststatus=2 statusline=%!v:lua.require'toolpath'.statusline({'escape':v:true})]])
      editor:wait_row('codex 33 %')
      local other = editor:lua([[
        local bufnr = vim.api.nvim_get_current_buf()
        vim.cmd('enew')
        return { require('toolpath').statusline(), require('toolpath').statusline({ bufnr = bufnr }) }
      ]])
      assert(other[1] == '' and other[2]:find('codex 33 %', 1, true), vim.inspect(other))
    end,
  },
  {
    'each workspace is told of by its own documents, the same path in two of them too',
    function(start, folder)
      local made = vim.fn.system({ vim.env.TOOLPATH_DEMO, folder .. '/inner' })
      assert(vim.v.shell_error == 0, made)
      local record = io.open(folder .. '/inner/' .. document):read('*a')
      local other = io.open(folder .. '/inner/' .. document, 'w')
      other:write((record:gsub('agent:codex', 'agent:inner')))
      other:close()
      local editor = start({ blame = { show = 'line', debounce = 1 } })
      editor:replace_select()
      for file, actor in pairs({ [source] = 'agent:codex', ['inner/' .. source] = 'agent:inner' }) do
        editor:open(file)
        editor:wait_attached()
        editor:type(':Toolpath pick actors<CR>')
        local found
        for _, line in ipairs(editor:wait_choices().lines) do
          found = found or line:find(actor, 1, true)
        end
        assert(found, actor)
        editor:lua([[offered = nil]])
      end
      assert(editor:servers() == 2)
    end,
  },
  {
    ':checkhealth tells of the server, the workspaces, git and the options',
    function(start)
      local editor = start({ blame = { show = 'never' } })
      editor:open(source)
      editor:wait_attached()
      editor:command('checkhealth toolpath')
      local lines = table.concat(editor:lines(), '\n')
      for _, text in ipairs({ 'toolpath-ls', 'git is there', 'setup() was called', 'blame.show must be', 'attached', source, 'workspace', 'utf-' }) do
        assert(lines:find(text, 1, true), text .. '\n' .. lines)
      end
    end,
  },
  {
    'the help has a tag for each command and option, and leads nowhere else',
    function(start)
      local editor = start({})
      local missing = editor:lua([[
        local doc = vim.fn.fnamemodify(vim.api.nvim_get_runtime_file('doc/toolpath.txt', false)[1], ':h')
        local copy = vim.fn.tempname()
        vim.fn.mkdir(copy .. '/doc', 'p')
        vim.loop.fs_copyfile(doc .. '/toolpath.txt', copy .. '/doc/toolpath.txt')
        vim.cmd('helptags ' .. copy .. '/doc')
        vim.opt.runtimepath:prepend(copy)
        local text = table.concat(vim.fn.readfile(copy .. '/doc/toolpath.txt'), '\n')
        local missing = {}
        local function need(tag)
          if not vim.tbl_contains(vim.fn.getcompletion(tag, 'help'), tag) then
            table.insert(missing, tag)
          end
        end
        for tag in text:gmatch('|([^|%s]+)|') do
          need(tag)
        end
        for _, name in ipairs(vim.fn.getcompletion('Toolpath ', 'cmdline')) do
          need(':Toolpath-' .. name)
        end
        local options = require('toolpath.options').current
        for name, value in pairs(options) do
          need('toolpath-option-' .. name)
        end
        vim.cmd('help :Toolpath')
        return missing
      ]])
      assert(#missing == 0, vim.inspect(missing))
      editor:wait_row('3. COMMANDS', ':Toolpath')
      editor:expect_no_errors()
    end,
  },
}
