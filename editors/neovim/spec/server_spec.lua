-- When a server is started, and how many.

local function wait_for_servers(editor, count)
  editor:wait(count .. ' servers', function()
    return editor:servers() == count
  end)
end

-- The id of the client of the current buffer.
local function server_id(editor)
  return editor:lua([[
    local client = require('toolpath.client').of(vim.api.nvim_get_current_buf())
    return client and client.id
  ]])
end

-- Kills the server of the current buffer, and waits until Neovim has noticed. Returns the client's id.
local function kill_server(editor)
  local id = server_id(editor)
  editor:lua([[
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
      vim.loop.kill(pid, 'sigkill')
    end
  ]])
  editor:wait('the end of the server', function()
    return server_id(editor) ~= id
  end)
  return id
end

-- Whether any buffer could still be about to start a server: none is, once an attached buffer that
-- was opened later has its answer.
local function attach_another(editor)
  editor:open('slug.path.json')
  editor:wait_attached()
end

local function is_attached(editor, file)
  return editor:lua([[return require('toolpath.client').of(vim.fn.bufnr(...)) ~= nil]], file)
end

return {
  {
    'one server serves the documents and the sources of a workspace',
    function(start)
      local editor = start({})
      for _, file in ipairs({ 'src/slug.py', 'docs/slugs.md', 'slug.path.json' }) do
        editor:open(file)
        editor:wait_attached()
      end
      wait_for_servers(editor, 1)
    end,
  },
  {
    'a file without a file type is served too',
    function(start, folder)
      vim.loop.fs_copyfile(folder .. '/src/slug.py', folder .. '/src/slug.unknown')
      local editor = start({})
      editor:open('src/slug.unknown')
      editor:wait_attached()
      wait_for_servers(editor, 1)
    end,
  },
  {
    'sources of a workspace without documents get no server, until it holds one',
    function(start, folder)
      vim.loop.fs_rename(folder .. '/slug.path.json', folder .. '/held-back')
      local editor = start({})
      editor:open('src/slug.py')
      assert(not is_attached(editor, 'slug.py'))
      editor:type(':edit held-back | saveas slug.path.json<CR>')
      editor:wait('the document', function()
        return is_attached(editor, 'slug.path.json')
      end)
      editor:wait('the source', function()
        return is_attached(editor, 'slug.py')
      end)
      wait_for_servers(editor, 1)
    end,
  },
  {
    'JSON that is no document gets no server of its own',
    function(start, folder)
      vim.fn.mkdir(folder .. '/elsewhere/.git', 'p')
      local plain = assert(io.open(folder .. '/elsewhere/package.json', 'w'))
      plain:write('{ "name": "graph", "paths": [] }\n')
      plain:close()
      local editor = start({})
      editor:open('elsewhere/package.json')
      attach_another(editor)
      assert(not is_attached(editor, 'package.json'))
      wait_for_servers(editor, 1)
    end,
  },
  {
    'each workspace has its own server',
    function(start, folder)
      vim.fn.mkdir(folder .. '/inner/.git', 'p')
      vim.loop.fs_copyfile(folder .. '/slug.path.json', folder .. '/inner/slug.path.json')
      local editor = start({})
      editor:open('slug.path.json')
      editor:wait_attached()
      editor:open('inner/slug.path.json')
      editor:wait_attached()
      wait_for_servers(editor, 2)
    end,
  },
  {
    'a server that is not there is said once, in one line',
    function(start)
      local editor = start({ cmd = { '/nowhere/toolpath-ls' } })
      editor:open('src/slug.py')
      editor:open('slug.path.json')
      editor:wait('the warning', function()
        return editor:messages():find('/nowhere/toolpath-ls is not executable', 1, true)
      end)
      local _, count = editor:messages():gsub('not executable', '')
      assert(count == 1, editor:messages())
      assert(not editor:messages():find('stack traceback', 1, true), editor:messages())
    end,
  },
  {
    'a server that was killed comes back, and what it told too',
    function(start)
      local editor = start({ blame = { show = 'line' } })
      editor:open('src/slug.py')
      editor:wait_row('Slugs for the addresses', 'older than the recording')
      local first = kill_server(editor)
      editor:wait('another server', function()
        local id = server_id(editor)
        return id and id ~= first
      end)
      wait_for_servers(editor, 1)
      editor:go_to('import unicodedata')
      editor:wait_row('import unicodedata', 'agent:codex')
    end,
  },
  {
    'a server that ends again and again is left alone, and :edit starts it',
    function(start)
      local editor = start({})
      editor:open('src/slug.py')
      for _ = 1, 6 do
        editor:wait_attached()
        kill_server(editor)
      end
      editor:wait('the message', function()
        return editor:messages():find('the server ended too often', 1, true)
      end)
      wait_for_servers(editor, 0)
      editor:type(':edit<CR>')
      editor:wait_attached()
    end,
  },
  {
    'settings reach the server',
    function(start)
      local editor = start({ settings = { toolpath = { codeLens = { file = false } } } })
      editor:open('src/slug.py')
      editor:wait_attached()
      local lenses = editor:lua([[
        local params = { textDocument = vim.lsp.util.make_text_document_params() }
        local answers = vim.lsp.buf_request_sync(0, 'textDocument/codeLens', params, 30000)
        local _, answer = next(answers)
        return #answer.result
      ]])
      assert(lenses == 0, lenses)
    end,
  },
  {
    'vim.lsp.enable is enough from Neovim 0.11 on',
    function(start)
      local editor = start(nil)
      if editor:lua([[return vim.fn.has('nvim-0.11')]]) == 0 then
        return
      end
      editor:command([[lua vim.lsp.enable('toolpath')]])
      editor:open('slug.path.json')
      editor:wait_attached()
      wait_for_servers(editor, 1)
    end,
  },
  {
    ':checkhealth names the server',
    function(start)
      local editor = start({})
      editor:open('slug.path.json')
      editor:wait_attached()
      editor:command('checkhealth toolpath')
      editor:wait_row('attached: slug.path.json')
      assert(editor:row_with('toolpath-ls'), 'the server is not named')
    end,
  },
}
